"""The rows of burst, saturation, stall, shed and instances, from requests and gaps written by hand."""

from typing import Any

import numpy as np
import pytest

from loopfloor.judge.normalise import GapFigures
from loopfloor.judge.selftest import CarriedLoads
from loopfloor.judge.tables import burst, instances, saturation, shed, stall
from loopfloor.judge.tables.reading import Context, Floor, Floors, Reading, Row
from loopfloor.judge.tables.work import list_routes, read_nominal_ms
from loopfloor.model import (
    Admission,
    Counters,
    Fate,
    GeneratorReading,
    Load,
    OpenLoad,
    Requests,
    Send,
    TimedLoad,
    Trial,
    TrialRecord,
    Window,
)
from loopfloor.plan import load_plan
from loopfloor.units import NS_PER_MS, NS_PER_S
from support.arrays import START_NS, make_requests, make_samples

WORK = "/work?cpu_ms=2&io_ms=10"
SPAN_S = 2
GENERATOR = GeneratorReading(cpu_s=0.1, wall_s=SPAN_S, connections_opened=1, in_flight_max=1, timer_late_ns=[])
FLOOR_GAPS = GapFigures(200, 200, *(ms * NS_PER_MS for ms in (10.1, 10.3, 10.3, 11.0, 12.0)))


def make_context() -> Context:
    floors = Floors({(1, "node", 10): Floor(FLOOR_GAPS, 0.01, 1, busy=0.02)}, {}, {})
    return Context("run", load_plan("smoke"), floors, set(), CarriedLoads())


def make_counters(at_ns: int, busy_s: float) -> Counters:
    return Counters(now_ns=at_ns, thread_cpu_s=busy_s, busy_s=busy_s, gc_count=0, gc_s=0, ctx_switches=0)


def make_reading(load: Load, requests: Requests, *, case: str = "x", busy_s: float = 0.5, **fields: Any) -> Reading:
    trial = Trial(
        id=f"r1-node-x-{case}", round=1, target="node", scenario="x", case=case, interval_ms=10, load=load,
        admission=fields.pop("admission", None), instance=fields.pop("instance", None),
    )  # fmt: skip
    end_ns = START_NS + SPAN_S * NS_PER_S
    drained_ns = fields.pop("drained_ns", end_ns)
    window = Window(start_ns=START_NS, end_ns=end_ns, drained_ns=drained_ns)
    gaps_ms = fields.pop("gaps_ms", [10.2] * 200)
    record = TrialRecord(
        trial=trial, status="ok", started_at="", window=window, busy_source="elu", samples_dropped=0,
        generator=GENERATOR, before=make_counters(START_NS, 0), after=make_counters(end_ns, busy_s), **fields,
    )  # fmt: skip
    return Reading(record, window, make_samples(gaps_ms), requests)


def answered(latencies_ms: list[float], every_ms: float = 5.0, fates: list[Fate] | None = None) -> Requests:
    """Requests sent when intended; what is no answer in time is a refusal of the door."""
    fates = fates or [Fate.OK] * len(latencies_ms)
    status = {Fate.OK: 200, Fate.HTTP_ERROR: 503}
    return make_requests(
        [
            (n * every_ms, n * every_ms, n * every_ms + latency, status[fate], fate)
            for n, (latency, fate) in enumerate(zip(latencies_ms, fates, strict=True))
        ]
    )


def with_routes(requests: Requests, numbers: list[int]) -> Requests:
    requests.route[:] = numbers
    return requests


@pytest.mark.parametrize(
    ("route", "nominal"), [("/noop", (0, 0)), ("/block?ms=300", (300, 0)), (WORK, (2, 10)), ("/work?cpu_ms=3", (3, 0))]
)
def test_a_route_says_what_it_burns_and_waits(route: str, nominal: tuple[int, int]) -> None:
    assert read_nominal_ms(route) == nominal


def test_a_burst_has_one_culprit_and_those_who_stood_behind_it() -> None:
    sends = tuple(Send(at_s=0.1, route="/block?ms=300" if n == 2 else "/noop") for n in range(6))
    load = TimedLoad(sends=sends, duration_s=SPAN_S, connections=6)
    requests = make_requests([(100, 100, done, 200, Fate.OK) for done in (100.5, 101, 401, 401.5, 402, 100.7)])
    requests = with_routes(requests, [0, 0, 1, 0, 0, 0])
    assert list_routes(make_reading(load, requests)) == ["/noop", "/block?ms=300"]
    rows = burst.make_rows(make_context(), make_reading(load, requests))
    assert [row["role"] for row in rows] == ["quick", "quick", "culprit", "victim", "victim", "quick"]
    assert [row["queueing_ms"] for row in rows] == pytest.approx([0.5, 1, 1, 301.5, 302, 0.7])
    assert {row["request"]: row["own_work_ms"] for row in rows} == {1: 0, 2: 0, 3: 300, 4: 0, 5: 0, 6: 0}
    tallies = {(row["slow"], row["culprits"], row["victims"], row["over_budget_requests"]) for row in rows}
    assert tallies == {(3, 1, 2, 3)}
    assert [row["ideal_done_ms"] for row in rows] == [0, 0, 300, 300, 300, 300]


def test_a_request_of_a_burst_without_an_answer_has_no_role_and_no_latency() -> None:
    load = TimedLoad(sends=(Send(at_s=0, route="/noop"),) * 2, duration_s=SPAN_S, connections=2)
    requests = make_requests([(0, 0, 1, 200, Fate.OK), (0, 0, 5000, 0, Fate.TIMEOUT)])
    quick, lost = burst.make_rows(make_context(), make_reading(load, requests))
    assert (quick["role"], lost["role"], lost["taken_ms"], lost["status_code"]) == ("quick", None, None, None)


def saturate(*latencies_ms: float, drains_ms: dict[int, float] | None = None, busy_s: float = 0.84) -> list[Row]:
    rows = []
    for number, latency_ms in enumerate(latencies_ms, 1):
        load = OpenLoad(route=WORK, rate_per_s=100.0 * number, duration_s=SPAN_S)
        drained_ns = START_NS + SPAN_S * NS_PER_S + round((drains_ms or {}).get(number, 0) * NS_PER_MS)
        requests = answered([latency_ms] * (200 * number), every_ms=10 / number)
        rows += saturation.make_rows(
            make_context(), make_reading(load, requests, busy_s=min(2, busy_s * number), drained_ns=drained_ns)
        )
    saturation.relate_rows(rows)
    return rows


def test_the_knee_is_the_highest_rate_whose_tail_and_drain_stay_under_five_times_the_unloaded_tail() -> None:
    rows = saturate(14, 20, 69, 71)
    assert {row["knee_per_s"] for row in rows} == {300}
    assert {row["unloaded_p99_ms"] for row in rows} == {14}
    assert {row["knee_busy"] for row in rows} == {rows[2]["busy"]}
    assert {row["knee_per_s"] for row in saturate(14, 20, 69, drains_ms={3: 71})} == {200}


def test_a_rate_at_which_some_request_failed_was_not_carried() -> None:
    fates = [Fate.OK] * 399 + [Fate.HTTP_ERROR]
    rows = saturate(14)
    load = OpenLoad(route=WORK, rate_per_s=200, duration_s=SPAN_S)
    rows += saturation.make_rows(make_context(), make_reading(load, answered([15.0] * 400, fates=fates)))
    saturation.relate_rows(rows)
    assert {row["knee_per_s"] for row in rows} == {100}


def test_expected_busy_is_the_idle_share_and_what_the_requests_cost() -> None:
    """0.84 busy seconds of 2, of which 0.02 are idle, for 200 requests: 4 ms each."""
    rows = saturate(14, 20, 30)
    assert rows[0]["cost_ms"] == pytest.approx(4)
    assert [row["expected_busy"] for row in rows] == pytest.approx([0.42, 0.82, 1])


def test_the_ideal_lane_stands_beside_each_rate() -> None:
    (row,) = saturate(14)
    assert row["ideal_p50_ms"] == pytest.approx(12)
    assert row["over_ideal_mean"] == pytest.approx(14 / 12)


def test_a_stall_row_says_what_was_injected_and_what_the_target_counted() -> None:
    load = OpenLoad(route=WORK, rate_per_s=100, duration_s=SPAN_S, extra=(Send(at_s=1, route="/block?ms=500"),))
    requests = with_routes(answered([13.0] * 201, every_ms=10), [0] * 100 + [1] + [0] * 100)
    reading = make_reading(load, requests, gaps_ms=[10.2] * 70 + [505] + [10.2] * 78, stalls_before=3, stalls_after=4)
    (row,) = stall.make_rows(make_context(), reading)
    assert (row["injected"], row["injected_ms"], row["stalls"], row["verdict"]) == (1, 500, 1, "rare_stall")
    plain = load.model_copy(update={"extra": ()})
    (row,) = stall.make_rows(make_context(), make_reading(plain, answered([13.0] * 200, every_ms=10)))
    assert (row["injected"], row["injected_ms"], row["stalls"], row["verdict"]) == (0, None, None, "healthy")


def test_refusals_of_the_door_are_counted_apart_and_are_no_failures() -> None:
    light = OpenLoad(route=WORK, rate_per_s=50, duration_s=SPAN_S)
    full = OpenLoad(route=WORK, rate_per_s=200, duration_s=SPAN_S)
    fates = [Fate.OK, Fate.HTTP_ERROR] * 200
    latencies_ms = [30.0, 0.5] * 200
    requests = answered(latencies_ms, fates=fates)
    door = Admission(enabled=True, lag_now_ms=0)
    rows = [
        *shed.make_rows(make_context(), make_reading(light, answered([15.0] * 100, every_ms=20), case="light")),
        *shed.make_rows(make_context(), make_reading(full, answered([200.0] * 400), case="capacity")),
        *shed.make_rows(make_context(), make_reading(full, requests, case="now", admission=door)),
        *shed.make_rows(make_context(), make_reading(full, requests, case="open")),
    ]
    shed.relate_rows(rows)
    _, capacity, now, unasked = rows
    assert capacity["answered_per_s"] == pytest.approx(180.5, abs=1)  # those that came back within the span
    assert (now["shed"], now["http_error"], now["status"], now["doubts"]) == (200, 200, "ok", "")
    assert (now["door_lag_now_ms"], now["door_busy"]) == (0, None)
    assert now["refusal_p50_ms"] == 0.5
    assert now["latency_ok_p99_ms"] == 30
    assert now["times_light_p99"] == 2
    assert now["goodput_of_capacity"] == pytest.approx(100 / capacity["answered_per_s"], rel=0.02)  # type: ignore[operator]
    # The same answers of a door that nobody closed are failures.
    assert (unasked["shed"], unasked["status"]) == (None, "failures")
    assert requests.fate[1] == Fate.HTTP_ERROR  # timing the refusals changes nothing


def test_the_one_bad_instance_is_named_and_its_siblings_are_not() -> None:
    rows = []
    for number, gaps_ms in enumerate(([10.2] * 200, [10.2] * 170 + [160.0] * 2, [10.3] * 200), 1):
        load = OpenLoad(route=WORK, rate_per_s=100, duration_s=SPAN_S)
        reading = make_reading(load, answered([13.0] * 200, every_ms=10), instance=number, gaps_ms=gaps_ms)
        rows += instances.make_rows(make_context(), reading)
    instances.relate_rows(rows)
    assert [row["verdict"] for row in rows] == ["healthy", "one_instance", "healthy"]
    assert rows[1]["siblings_gap_p99_ms"] == pytest.approx(10.25)
    assert np.isclose(float(rows[1]["gap_p99_ms"] or 0), 160)
