"""How busy the event loop was: cumulative seconds, from the best source that this loop has.

asyncio is metered by its own selector (the time outside `select`), handed to the loop through its
public constructor. uvloop has no meter; there the CPU time of the loop's thread is all there is.
"""

import gc
import resource
import selectors
import time
from collections.abc import Sequence
from typing import Any


class TimedSelector(selectors.EpollSelector):
    """An epoll selector that adds up the time spent waiting in it."""

    def __init__(self) -> None:
        super().__init__()
        self.started_ns = time.perf_counter_ns()
        self.idle_ns = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        before_ns = time.perf_counter_ns()
        ready = super().select(timeout)
        self.idle_ns += time.perf_counter_ns() - before_ns
        return ready

    def busy_s(self) -> float:
        return (time.perf_counter_ns() - self.started_ns - self.idle_ns) / 1e9


class CollectionMeter:
    """Counts garbage collections and the seconds that they took."""

    def __init__(self) -> None:
        self.count = 0
        self.total_ns = 0
        self._started_ns = 0
        gc.callbacks.append(self._note)

    def _note(self, phase: str, _info: Any) -> None:
        if phase == "start":
            self._started_ns = time.perf_counter_ns()
        else:
            self.count += 1
            self.total_ns += time.perf_counter_ns() - self._started_ns


class BusyMeter:
    """Cumulative counters of the loop's thread and process; a difference of two reads is a window."""

    def __init__(self, selector: TimedSelector | None) -> None:
        self._selector = selector
        self._collections = CollectionMeter()
        self.source = "selector" if selector else "thread_cpu"

    def read_busy_s(self) -> float:
        """Return the busy seconds since the start, by `source`."""
        return self._selector.busy_s() if self._selector else time.thread_time_ns() / 1e9

    def read_counters(self) -> dict[str, float | int | Sequence[int] | None]:
        """Return seconds and counts since the start; null where this runtime has no such figure."""
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return {
            "thread_cpu_s": time.thread_time_ns() / 1e9,
            "busy_s": self._selector.busy_s() if self._selector else None,
            "gc_count": self._collections.count,
            "gc_s": self._collections.total_ns / 1e9,
            "ctx_switches": usage.ru_nvcsw + usage.ru_nivcsw,
        }
