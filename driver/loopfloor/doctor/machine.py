"""The machine: cores, quotas, clocks, timers, engine, disk."""

import os
import select
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from loopfloor.doctor.finding import Finding, grade, grade_least
from loopfloor.errors import FleetError
from loopfloor.measure.fleet import SOCKET, open_stage
from loopfloor.measure.host import describe_host, read_cpu_quota, read_throttled_periods

CLOCK_READS = 200_000
TIMER_TRIES = 100
GOOD_CLOCK_SOURCES = {"tsc", "arch_sys_counter", "kvm-clock"}
GIB = 1024**3


def examine_machine(results: Path) -> Iterator[Finding]:
    host = describe_host()
    yield from examine_cores()
    yield from examine_clocks(host["clock_source"], host["coarse_clock_ms"])
    yield examine_governor(host["governor"])
    yield from examine_engine(results)
    yield examine_disk(results)


def examine_cores() -> Iterator[Finding]:
    cpus = sorted(os.sched_getaffinity(0))
    yield grade_least("cores", len(cpus), "cores", (2, 1), "Give it two cores: one for the driver, one for the target.")
    quota = read_cpu_quota()
    if quota is None:
        yield Finding("cpu quota", "none", "", "ok")
    else:
        yield Finding("cpu quota", quota, "cores", "unfit", "Take the quota away; CPU sets do not hold a process up.")
    yield grade("throttled periods", read_throttled_periods(), "periods", (0, 0), "Take the CPU quota away.")
    busy = os.getloadavg()[0] / len(cpus)
    yield grade("load of others", round(busy, 2), "per core", (0.3, 1), "Stop what else runs on this machine.")


def examine_clocks(source: str | None, coarse_ms: float) -> Iterator[Finding]:
    good = source in GOOD_CLOCK_SOURCES
    yield Finding(
        "clock source", source, "", "ok" if good else "doubt", "" if good else "Boot with the tsc clock source."
    )
    started = time.perf_counter_ns()
    for _ in range(CLOCK_READS):
        time.perf_counter_ns()
    cost_ns = (time.perf_counter_ns() - started) / CLOCK_READS
    yield grade(
        "clock read cost", round(cost_ns), "ns", (250, 2000), "A slow clock is a slow ruler: see the clock source."
    )
    yield grade("coarse clock", round(coarse_ms, 3), "ms", (4, 10), "The kernel ticks slowly; loop timers follow it.")
    yield grade(
        "timer lateness p50", round(measure_timer_ms(), 3), "ms", (0.3, 1.5), "Idle states or a busy host delay timers."
    )


def measure_timer_ms() -> float:
    """Return the median lateness of a 5 ms poll time-out."""
    poll = select.epoll()
    late_ms = []
    for _ in range(TIMER_TRIES):
        started = time.perf_counter()
        poll.poll(0.005)
        late_ms.append((time.perf_counter() - started) * 1e3 - 5)
    poll.close()
    return sorted(late_ms)[TIMER_TRIES // 2]


def examine_governor(governor: str | None) -> Finding:
    if governor in {None, "performance"}:
        return Finding("cpu governor", governor or "not visible", "", "ok")
    return Finding("cpu governor", governor, "", "doubt", "Set it to performance, or expect the clock to wander.")


def examine_engine(results: Path) -> Iterator[Finding]:
    if not SOCKET.is_socket():
        remedy = "Mount the Docker socket to have targets pinned and started afresh, or use --stage process."
        yield Finding("docker engine", None, "", "doubt", remedy)
        return
    try:
        versions = open_stage("compose", [], {}, results).describe_host()
    except FleetError as error:
        yield Finding("docker engine", None, "", "doubt", str(error))
        return
    yield Finding("docker engine", versions["engine_version"], "", "ok")
    yield Finding("docker compose", versions["compose_version"], "", "ok")


def examine_disk(results: Path) -> Finding:
    place = next(path for path in (results, *results.absolute().parents) if path.is_dir())
    free_gib = round(shutil.disk_usage(place).free / GIB, 1)
    return grade_least("free disk", free_gib, "GiB", (1, 0.1), "Make room: a run keeps a few MB, a sweep some hundred.")
