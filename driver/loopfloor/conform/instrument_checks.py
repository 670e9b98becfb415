"""The instruments: the ruler, its samples, the histogram, and what the target says of itself."""

import json
import time
from itertools import pairwise
from typing import Any

from loopfloor.conform.check import ContractError, expect, expect_answer, expect_between, expect_error
from loopfloor.conform.wire import Wire

RULER_RULE = 'body: allowed is {"interval_ms":N}, N a whole number from 1 to 1000, at most 1024 bytes of JSON'
BAD_RULERS = (
    b"", b"{}", b"[]", b"10", b"null", b'{"interval_ms":0}', b'{"interval_ms":1001}', b'{"interval_ms":1.5}',
    b'{"interval_ms":"10"}', b'{"interval_ms":true}', b'{"interval_ms":null}', b'{"interval_ms":[10]}',
    b'{"interval_ms":NaN}', b'{"interval_ms":1e400}', b'{"interval_ms":10,"x":NaN}', b'{"interval_ms":10}x',
    b'\xef\xbb\xbf{"interval_ms":10}', b'{"interval_ms":10,"x":"\xff"}', '{"interval_ms":10}'.encode("utf-16"),
    b'{"interval_ms":10,"x":"' + b"a" * 1100 + b'"}',
)  # fmt: skip
TAKEN_RULERS = (
    b'{"interval_ms":10}',
    b' { "interval_ms" : 1e1 , "other" : {} } ',
    b'{"interval_ms":5,"interval_ms":10.0}',
)
ELD_FIELDS = ["count", "min", "mean", "p50", "p99", "max", "interval_ms"]
SAMPLES_FIELDS = [
    "now_ns", "interval_ms", "dropped", "thread_cpu_s", "busy_s", "gc_count", "gc_s", "ctx_switches", "native",
    "samples",
]  # fmt: skip
NATIVE_FIELDS = ["count", "min", "mean", "p50", "p99", "max"]
INFO_FIELDS = [
    "runtime", "runtime_version", "loop", "loop_class", "versions", "pool_size", "interval_ms", "clock", "busy_source",
    "native_monitor", "pid", "limits", "usage",
]  # fmt: skip
USAGE_FIELDS = ["cpu_s", "memory_peak_bytes", "throttled_periods", "throttled_s", "run_delay_s"]

END_OF_TIME = "/samples?since_ns=9223372036854775807"
LEAST_GROWTH = {"now_ns": 2e8, "thread_cpu_s": 0.1, "busy_s": 0.19, "gc_count": 0, "gc_s": 0, "ctx_switches": 0}


def arm(wire: Wire, interval_ms: int) -> None:
    answer = wire.get("/ruler", "POST", b'{"interval_ms":%d}' % interval_ms)
    expect_answer(f"POST /ruler at {interval_ms} ms", answer, 200, b'{"interval_ms":%d}' % interval_ms)


def read(wire: Wire, route: str) -> dict[str, Any]:
    answer = wire.get(route)
    expect(f"GET {route}", 200, answer.status)
    content = json.loads(answer.body)
    assert isinstance(content, dict)
    return content


def check_the_ruler_takes_1_to_1000_ms_and_nothing_else(wire: Wire) -> None:
    for interval_ms in (1, 1000, 10):
        arm(wire, interval_ms)
    for body in TAKEN_RULERS:
        expect_answer(f"POST /ruler {body!r}", wire.get("/ruler", "POST", body), 200, b'{"interval_ms":10}')
    for body in BAD_RULERS:
        expect_error(f"POST /ruler {body!r}", wire.get("/ruler", "POST", body), 422, RULER_RULE)


def check_the_ruler_answers_after_two_firings_and_clears(wire: Wire) -> None:
    started = time.perf_counter()
    arm(wire, 100)
    expect_between("arming at 100 ms takes", 0.19, time.perf_counter() - started, 1.0)
    expect("gaps after two firings", 1, len(read(wire, "/samples")["samples"]))
    arm(wire, 10)


def check_a_gap_holds_the_interval_and_a_stall_shows_in_one(wire: Wire) -> None:
    """A stall of B reads as a gap in [max(R, B), R + B], give or take the timer's own ms."""
    arm(wire, 20)
    time.sleep(0.5)
    wire.get("/block?ms=150")
    time.sleep(0.1)
    gaps_ms = sorted(gap / 1e6 for _, gap in read(wire, "/samples")["samples"])
    expect_between("median gap at 20 ms", 19, gaps_ms[len(gaps_ms) // 2], 23)
    expect_between("longest gap with a stall of 150 ms", 149, gaps_ms[-1], 190)
    arm(wire, 10)


def check_samples_are_contiguous_and_sliced_by_time(wire: Wire) -> None:
    arm(wire, 10)
    time.sleep(0.3)
    content = read(wire, "/samples?since_ns=0")
    expect("fields of /samples", SAMPLES_FIELDS, list(content))
    samples = content["samples"]
    steps = [(late[0] - early[0], late[1]) for early, late in pairwise(samples)]
    expect("each gap ends one firing after the other", [], [step for step in steps if step[0] != step[1]])
    if not samples[-1][0] <= content["now_ns"] <= samples[-1][0] + 1_000_000_000:
        raise ContractError("now_ns is not on the clock of the samples")
    middle_ns = samples[len(samples) // 2][0]
    later = read(wire, f"/samples?since_ns={middle_ns}")["samples"]
    expect("the first sample after since_ns", samples[len(samples) // 2 + 1], later[0])
    expect("dropped", 0, content["dropped"])


def check_counters_only_grow(wire: Wire) -> None:
    before = read(wire, END_OF_TIME)
    wire.get("/block?ms=200")
    after = read(wire, END_OF_TIME)
    expect("no sample lies behind the end of time", [], before["samples"])
    for field, least in LEAST_GROWTH.items():
        if (before[field] is None) != (after[field] is None):
            raise ContractError(f"{field} is there only now and then")
        if before[field] is not None:
            expect_between(f"growth of {field} over a block of 200 ms", least, after[field] - before[field], 1e10)


def check_since_ns_takes_a_whole_number_of_19_digits(wire: Wire) -> None:
    rule = "since_ns: a whole number from 0 to 9223372036854775807, at most 19 digits"
    for text in ("-1", "x", "", "1.0", "9223372036854775808", "00000000000000000001"):
        expect_error(f"GET /samples?since_ns={text}", wire.get(f"/samples?since_ns={text}"), 422, rule)


def check_an_empty_histogram_is_count_0_and_nulls(wire: Wire) -> None:
    arm(wire, 1000)
    read(wire, "/eld")
    empty = read(wire, "/eld")
    expect("an empty /eld", dict.fromkeys(ELD_FIELDS) | {"count": 0, "interval_ms": 1000}, empty)
    expect("its fields", ELD_FIELDS, list(empty))
    arm(wire, 10)


def check_a_stall_right_after_a_reading_is_not_lost(wire: Wire) -> None:
    read(wire, "/eld")
    wire.get("/block?ms=300")
    longest_ms = read(wire, "/eld")["max"]
    expect_between("/eld max after a block of 300 ms", 300, longest_ms or 0, 400)


def check_histogram_and_samples_agree(wire: Wire) -> None:
    arm(wire, 10)
    read(wire, "/eld")
    time.sleep(0.5)
    eld, samples = read(wire, "/eld"), read(wire, "/samples")["samples"]
    expect_between("/eld count", len(samples) - 4, eld["count"], len(samples))
    for low, high in (("min", "p50"), ("p50", "p99"), ("p99", "max"), ("min", "mean"), ("mean", "max")):
        expect_between(f"/eld {low} under {high}", 0, eld[low], eld[high] * 1.001)
    expect_between("/eld mean", 9, eld["mean"], 15)


def check_the_native_monitor_is_whole_or_null(wire: Wire) -> None:
    native, monitor = read(wire, "/samples")["native"], read(wire, "/info")["native_monitor"]
    expect("native figures where a native monitor is named", monitor is not None, native is not None)
    if native is not None:
        expect("fields of native", NATIVE_FIELDS, list(native))


def check_the_target_says_what_it_is(wire: Wire) -> None:
    info = read(wire, "/info")
    expect("fields of /info", INFO_FIELDS, list(info))
    expect("fields of its limits", ["cpus_allowed", "cpu_quota", "memory_limit_bytes"], list(info["limits"]))
    expect("fields of its usage", USAGE_FIELDS, list(info["usage"]))
    expect("pool_size", 4, info["pool_size"])
    for field in ("runtime", "runtime_version", "loop", "loop_class", "busy_source"):
        if not isinstance(info[field], str) or not info[field]:
            raise ContractError(f"/info {field} is {info[field]!r}")
