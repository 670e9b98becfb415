"""The loop-delay ruler: a timer that re-arms itself and writes down when it really fired.

A gap is the time between two firings, the interval included: nothing is subtracted here. The ring
keeps the raw gaps, the histogram the same gaps since it was last read.
"""

import asyncio
import time
from array import array
from bisect import bisect_right
from collections.abc import Callable

from hdrh.histogram import HdrHistogram

RING_SIZE = 131_072
DEFAULT_INTERVAL_MS = 10
FIRINGS_UNTIL_ARMED = 2
HIGHEST_US = 3_600_000_000
NS_PER_MS = 1_000_000


class GapHistogram:
    """The distribution of the gaps in µs, 3 figures. The mean is exact: HdrHistogram's costs 30 ms to ask for."""

    def __init__(self) -> None:
        self._histogram = HdrHistogram(1, HIGHEST_US, 3)
        self._total_us = 0

    def record(self, gap_us: int) -> None:
        self._histogram.record_value(gap_us)
        self._total_us += gap_us

    def read_figures(self) -> dict[str, float | int | None]:
        """Return the figures in ms; nulls when nothing was recorded."""
        count = self._histogram.get_total_count()
        if count == 0:
            return {"count": 0, "min": None, "mean": None, "p50": None, "p99": None, "max": None}
        percentiles = self._histogram.get_percentile_to_value_dict([50, 99])
        return {
            "count": count,
            "min": self._histogram.get_min_value() / 1e3,
            "mean": self._total_us / count / 1e3,
            "p50": percentiles[50] / 1e3,
            "p99": percentiles[99] / 1e3,
            "max": self._histogram.get_max_value() / 1e3,
        }


class Ruler:
    """Samples the delay of one event loop, always on, at 1 to 1000 ms."""

    def __init__(self, loop: asyncio.AbstractEventLoop, ring_size: int = RING_SIZE) -> None:
        self._loop = loop
        self._ring_size = ring_size
        self._fired_at_ns = array("q", bytes(8 * ring_size))
        self._gaps_ns = array("q", bytes(8 * ring_size))
        self._timer: asyncio.TimerHandle | None = None
        self._watchers: list[Callable[[int], None]] = []
        self._start(DEFAULT_INTERVAL_MS)

    def _start(self, interval_ms: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.interval_ms = interval_ms
        self._count = 0
        self._firings = 0
        self._armed = self._loop.create_future()
        self._histogram = GapHistogram()
        self._last_ns = time.perf_counter_ns()
        self._timer = self._loop.call_later(interval_ms / 1e3, self._fire)

    def _fire(self) -> None:
        now_ns = time.perf_counter_ns()
        self._timer = self._loop.call_later(self.interval_ms / 1e3, self._fire)
        gap_ns = now_ns - self._last_ns
        self._last_ns = now_ns
        self._firings += 1
        if self._firings == 1:
            return  # it has no firing before it, so no gap
        slot = self._count % self._ring_size
        self._fired_at_ns[slot] = now_ns
        self._gaps_ns[slot] = gap_ns
        self._count += 1
        self._histogram.record(max(1, gap_ns // 1000))
        lag_ns = max(0, gap_ns - self.interval_ms * NS_PER_MS)
        for watch in self._watchers:
            watch(lag_ns)
        if self._firings == FIRINGS_UNTIL_ARMED and not self._armed.done():
            self._armed.set_result(None)

    def read_clock_ns(self) -> int:
        """Return the clock that the samples are written in."""
        return time.perf_counter_ns()

    def watch(self, note: Callable[[int], None]) -> None:
        """Call `note` with the lag (ns, the gap beyond the interval, never negative) of each gap from now on."""
        self._watchers.append(note)

    def read_overdue_ns(self) -> int:
        """Return how late the next firing is at this instant; negative while it is not due yet."""
        return time.perf_counter_ns() - self._last_ns - self.interval_ms * NS_PER_MS

    async def arm(self, interval_ms: int) -> None:
        """Clear everything, sample every `interval_ms` from now on, and wait for two firings."""
        superseded = self._armed
        self._start(interval_ms)
        if not superseded.done():
            superseded.set_result(None)
        await self._armed

    def read_samples(self, since_ns: int) -> tuple[list[tuple[int, int]], int]:
        """Return `(t_ns, gap_ns)` of the firings after `since_ns`, oldest first, and how many the ring lost."""
        held = range(max(0, self._count - self._ring_size), self._count)
        skipped = bisect_right(held, since_ns, key=lambda index: self._fired_at_ns[index % self._ring_size])
        slots = [index % self._ring_size for index in held[skipped:]]
        dropped = held.start if skipped == 0 else 0
        return [(self._fired_at_ns[slot], self._gaps_ns[slot]) for slot in slots], dropped

    def take_histogram(self) -> dict[str, float | int | None]:
        """Return the figures (ms) of all gaps since the last call and start over; nulls when there are none.

        The ruler itself runs on, so the gap in flight is not lost: it counts in the next reading.
        """
        taken, self._histogram = self._histogram, GapHistogram()
        return {**taken.read_figures(), "interval_ms": self.interval_ms}
