"""What the benchmarks share: a pinned Node target, other generators on the same core, and medians."""

import os
import resource
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from loopfloor.measure.fleet import Address
from loopfloor.measure.fleet.process import ProcessStage, list_launches
from loopfloor.measure.readings import Instruments


@contextmanager
def run_target(name: str) -> Iterator[Address]:
    """Start a target on the cores for targets; this process and what it starts keep the driver's core."""
    stage = ProcessStage(list_launches(Path(__file__).parents[2]))
    os.sched_setaffinity(0, range(os.cpu_count() or 1))  # an earlier target's pinning
    isolation = stage.isolate()
    print(f"driver on core {isolation.driver_cpus}, {name} on core {isolation.target_cpus} ({isolation.mode})")
    address = stage.start(name)
    with Instruments(address.url) as instruments:
        while not instruments.is_healthy():
            time.sleep(0.05)
    try:
        yield address
    finally:
        stage.close()


@dataclass(frozen=True)
class Cost:
    """What one load run cost its generator."""

    requests: int
    duration_s: float
    cpu_s: float
    p50_ms: float | None
    p99_ms: float | None

    @property
    def cpu_us(self) -> float:
        return self.cpu_s / self.requests * 1e6

    @property
    def rate_per_s(self) -> float:
        return self.requests / self.duration_s


def run_command(command: Sequence[str]) -> tuple[str, float]:
    """Return what a command printed and the CPU seconds that it and its children took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def spread(values: Sequence[float], digits: int = 2) -> str:
    """Return median and range; never the best."""
    return f"{median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"
