"""The loop's health as others see it: `/metrics` for Prometheus, and `/admission`, the door."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from loopfloor.conform.check import expect, expect_answer, expect_between, expect_error
from loopfloor.conform.wire import Wire
from loopfloor.conform.workload_checks import OK_BODY

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
LAG = "event_loop_lag_seconds"
BUSY = "event_loop_busy_ratio"
STALLS = "event_loop_stalls_total"
BUCKETS_S = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, float("inf"))
ADMISSION_RULE = (
    'body: allowed is {"enabled":true or false,"lag_p99_ms":N,"busy":X,"lag_now_ms":N}, lag_p99_ms a whole number '
    "from 1 (timers are no finer) to 10000, busy from 0.1 to 1, lag_now_ms a whole number from 0 to 10000, each of the "
    "three null or left out for off, at most 1024 bytes of JSON"
)
OFF = '{"enabled":false}'
TAKEN_SETTINGS = {
    OFF: {"enabled": False, "lag_p99_ms": None, "busy": None, "lag_now_ms": None},
    '{"enabled":true}': {"enabled": True, "lag_p99_ms": 200, "busy": 0.9, "lag_now_ms": None},
    '{"enabled":true,"lag_now_ms":0}': {"enabled": True, "lag_p99_ms": None, "busy": None, "lag_now_ms": 0},
    '{"enabled":true,"busy":1.0,"lag_p99_ms":1e1}': {
        "enabled": True, "lag_p99_ms": 10, "busy": 1, "lag_now_ms": None,
    },
    '{"enabled":false,"busy":0.25,"lag_p99_ms":null}': {
        "enabled": False, "lag_p99_ms": None, "busy": 0.25, "lag_now_ms": None,
    },
}  # fmt: skip
BAD_SETTINGS = (
    "", "{}", "[]", "true", "null", '{"enabled":1}', '{"enabled":"true"}', '{"enabled":null}', '{"lag_now_ms":0}',
    '{"enabled":true,"lag":5}', '{"enabled":true,"__proto__":1}', '{"enabled":true,"lag_p99_ms":0}',
    '{"enabled":true,"lag_p99_ms":0.5}', '{"enabled":true,"lag_p99_ms":10001}', '{"enabled":true,"busy":0.09}',
    '{"enabled":true,"busy":1.01}', '{"enabled":true,"busy":true}', '{"enabled":true,"busy":"0.5"}',
    '{"enabled":true,"lag_now_ms":-1}', '{"enabled":true,"lag_now_ms":[0]}', '{"enabled":true,"lag_now_ms":NaN}',
    '{"enabled":true,"lag_now_ms":1e400}', '{"enabled":true}x',
)  # fmt: skip
REFUSAL_BODY = b'{"error":"overloaded; retry after 1 s"}'
BLOCKS = 6
SECOND_OVER_S = 1.2  # the last whole second is over, whenever it began


def scrape(wire: Wire) -> dict[str, float]:
    """Return the series by name; the buckets as `event_loop_lag_seconds_bucket{le}`, `le` as a number."""
    answer = wire.get("/metrics")
    expect("GET /metrics", (200, CONTENT_TYPE), (answer.status, answer.headers.get("content-type")))
    expect("GET /metrics, header set", {"content-length", "content-type"}, set(answer.headers))
    series = {}
    for family in text_string_to_metric_families(answer.body.decode()):
        for sample in family.samples:
            labels = "".join(f"{{{float(bound):g}}}" for bound in sample.labels.values())
            series[f"{sample.name}{labels}"] = sample.value
    return series


def bucket(bound_s: float) -> str:
    return f"{LAG}_bucket{{{bound_s:g}}}"


def check_metrics_have_the_same_series_everywhere(wire: Wire) -> None:
    wanted = {*map(bucket, BUCKETS_S), f"{LAG}_count", f"{LAG}_sum", BUSY, STALLS}
    expect("series of /metrics", wanted, set(scrape(wire)))


def check_a_stall_of_200_ms_lands_in_its_bucket_and_is_no_stall_yet(wire: Wire) -> None:
    before = scrape(wire)
    wire.get("/block?ms=200")
    time.sleep(0.05)
    after = scrape(wire)
    grown = {name: after[name] - before[name] for name in after}
    expect("lags over 0.1 s", 1, grown[bucket(float("inf"))] - grown[bucket(0.1)])
    expect("lags over 0.25 s", 0, grown[bucket(float("inf"))] - grown[bucket(0.25)])
    expect("stalls of more than 250 ms", 0, grown[STALLS])


def check_a_stall_of_300_ms_is_counted_once_however_often_it_is_scraped(wire: Wire) -> None:
    before = scrape(wire)
    wire.get("/block?ms=300")
    time.sleep(0.05)
    readings = [scrape(wire) for _ in range(3)]
    expect("stalls, by three scrapes", [1, 1, 1], [reading[STALLS] - before[STALLS] for reading in readings])
    counts = [reading[f"{LAG}_count"] for reading in readings]
    expect("a scrape resets nothing", sorted(counts), counts)
    expect_between("lag seconds added", 0.28, readings[-1][f"{LAG}_sum"] - before[f"{LAG}_sum"], 1)


def check_arming_the_ruler_leaves_the_metrics_alone(wire: Wire) -> None:
    before = scrape(wire)
    wire.get("/ruler", "POST", b'{"interval_ms":10}')
    after = scrape(wire)
    for name in (f"{LAG}_count", f"{LAG}_sum", STALLS):
        expect_between(f"growth of {name}", 0, after[name] - before[name], 1e6)


def check_busy_follows_the_last_second(wire: Wire) -> None:
    scrape(wire)
    time.sleep(2 * SECOND_OVER_S)
    expect_between("busy of an idle loop", 0, scrape(wire)[BUSY], 0.2)
    wire.get("/block?ms=2500")
    wire.get_each(["/noop"])
    expect_between("busy after a block of 2.5 s", 0.5, scrape(wire)[BUSY], 1.05)


def check_admission_takes_its_settings_and_nothing_else(wire: Wire) -> None:
    with door_left_open(wire):
        for body, settings in TAKEN_SETTINGS.items():
            answer = wire.get("/admission", "POST", body.encode())
            expect_answer(f"POST /admission {body}", answer, 200, compact(settings))
        for body in BAD_SETTINGS:
            answer = wire.get("/admission", "POST", body.encode())
            expect_error(f"POST /admission {body}", answer, 422, ADMISSION_RULE)


def check_a_late_loop_refuses_at_the_door_and_never_the_instruments(wire: Wire) -> None:
    """Of blocks that come in together some find the loop late at that very instant, because of those before them."""
    with door_left_open(wire):
        wire.get("/admission", "POST", b'{"enabled":true,"lag_now_ms":50}')
        expect_answer("GET /noop of a punctual loop", wire.get("/noop"), 200, OK_BODY)
        *answers, health = wire.get_together([*["/block?ms=100"] * BLOCKS, "/healthz"])
        refused = [answer for answer in answers if answer.status == 503]
        expect_between("refused of six blocks at once", 1, len(refused), BLOCKS - 1)
        for answer in refused:
            expect_answer("a refusal", answer, 503, REFUSAL_BODY)
            expect("retry-after", "1", answer.headers["retry-after"])
        expect_answer("GET /healthz behind the blocks", health, 200, OK_BODY)
        expect_answer("GET /noop after them", wire.get("/noop"), 200, OK_BODY)


def check_the_window_rule_sheds_after_a_late_second_and_recovers(wire: Wire) -> None:
    with door_left_open(wire):
        expect("POST /admission", 200, wire.get("/admission", "POST", b'{"enabled":true,"lag_p99_ms":100}').status)
        time.sleep(2 * SECOND_OVER_S)
        expect_answer("GET /noop of a punctual loop", wire.get("/noop"), 200, OK_BODY)
        wire.get("/block?ms=1500")
        time.sleep(0.05)
        expect_answer("GET /noop after a late second", wire.get("/noop"), 503, REFUSAL_BODY)
        time.sleep(2 * SECOND_OVER_S)
        expect_answer("GET /noop after a punctual second", wire.get("/noop"), 200, OK_BODY)


def compact(content: Any) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode()


@contextmanager
def door_left_open(wire: Wire) -> Iterator[None]:
    try:
        yield
    finally:
        wire.get("/admission", "POST", OFF.encode())
