"""The generator: the largest loads that it carries against servers whose answers are known."""

import os
from collections.abc import Iterator, Sequence

from loopfloor.doctor.finding import Finding, grade_least
from loopfloor.judge.normalise import read_latency
from loopfloor.judge.selftest import Carried, judge_selftest
from loopfloor.measure.load import DELAY_MS, Generator, make_closed_test, run_selftest
from loopfloor.model import ClosedLoad, OpenLoad
from loopfloor.units import ms_from_ns

CONNECTIONS = (8, 16, 32, 64, 128, 256, 512)
RATES_PER_S = (50, 200, 500, 1000, 2000, 5000)
TEST_S = 1.5
ATTEMPTS = 2  # a machine may be disturbed once
STALL_MS = 1500.0
STALL_LOAD = OpenLoad(route="/", rate_per_s=100, duration_s=4)
REMEDY = "Above it a trial is generator_limited: give the driver a core of its own, or load less."


def examine_generator() -> Iterator[Finding]:
    """Keep to the first core, with the server on the last, as in a run; the pinning is undone afterwards."""
    cpus = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, cpus[:1])
    generator = Generator()
    try:
        closed = [make_closed_test(count, TEST_S) for count in CONNECTIONS]
        opened = [OpenLoad(route="/", rate_per_s=rate, duration_s=TEST_S) for rate in RATES_PER_S]
        server = ("--cpu", str(cpus[-1]))
        connections = find_largest(carry(generator, closed, server))
        yield grade_least("largest closed loop", connections, "connections", (512, 50), REMEDY)
        rate_per_s = find_largest(carry(generator, opened, server))
        yield grade_least("largest open loop", rate_per_s, "requests/s", (5000, 500), REMEDY)
        yield examine_omission(generator, server)
    finally:
        generator.close()
        os.sched_setaffinity(0, cpus)


def carry(generator: Generator, loads: Sequence[ClosedLoad | OpenLoad], server: Sequence[str]) -> list[Carried]:
    """Return each load's best attempt: whether it can be carried is asked, not how fast."""
    carried = []
    for load in loads:
        attempts = run_selftest(generator, [load] * ATTEMPTS, *server)
        results = [judge_selftest(load, outcome.requests, DELAY_MS) for load, outcome in attempts]
        carried.append(next((result for result in results if result.held), results[-1]))
    return carried


def find_largest(results: Sequence[Carried]) -> float:
    """Return the largest size below the first that failed; 0 where the smallest did."""
    largest = 0.0
    for result in results:
        if not result.held:
            break
        largest = result.size
    return largest


def examine_omission(generator: Generator, server: Sequence[str]) -> Finding:
    """A server that freezes for 1.5 s of 4: by intended sends p99 must be near it, however fast it answers later."""
    stall = ("--delay-ms", "1", "--stall-at-s", "1", "--stall-ms", str(STALL_MS))
    ((_, outcome),) = run_selftest(generator, [STALL_LOAD], *server, *stall)
    latency = read_latency(outcome.requests, outcome.requests.intended_ns)
    p99_ms = None if latency is None or latency.p99 is None else round(ms_from_ns(latency.p99), 1)
    # 150 of the 400 requests fall into the freeze, evenly: the fourth-longest waits 30 ms less than all of it.
    held = p99_ms is not None and abs(p99_ms / (STALL_MS - 30) - 1) <= 0.05
    remedy = "" if held else f"A freeze of {STALL_MS:.0f} ms must show in p99; latencies here cannot be trusted."
    return Finding("freeze shows in p99", p99_ms, "ms", "ok" if held else "unfit", remedy)
