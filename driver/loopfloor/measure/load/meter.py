"""The generator's reading of itself: CPU time, and how late a plain 10 ms timer in its own loop fires."""

import asyncio
from time import perf_counter_ns, thread_time_ns

from loopfloor.measure.load.pacer import Pacer
from loopfloor.model import GeneratorReading
from loopfloor.units import NS_PER_MS, s_from_ns

TIMER_INTERVAL_NS = 10 * NS_PER_MS


class GeneratorMeter:
    """Runs from its making to `stop`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, start_ns: int) -> None:
        self._start_ns = start_ns
        self._cpu_ns = thread_time_ns()
        self._wall_ns = 0
        self._late_ns: list[int] = []
        self._due_ns = start_ns + TIMER_INTERVAL_NS
        self._pacer = Pacer(loop, self._note_timer)
        self._pacer.set(self._due_ns)

    def _note_timer(self) -> None:
        now_ns = perf_counter_ns()
        self._late_ns.append(now_ns - self._due_ns)
        # A firing that was missed outright is not made up for: it shows in the lateness of this one.
        missed = (now_ns - self._due_ns) // TIMER_INTERVAL_NS
        self._due_ns += (missed + 1) * TIMER_INTERVAL_NS
        self._pacer.set(self._due_ns)

    def stop(self) -> None:
        """End the reading; what the generator does while it drains is not part of it."""
        self._cpu_ns = thread_time_ns() - self._cpu_ns
        self._wall_ns = perf_counter_ns() - self._start_ns
        self._pacer.close()

    def read(self, connections_opened: int, in_flight_max: int) -> GeneratorReading:
        return GeneratorReading(
            cpu_s=s_from_ns(self._cpu_ns),
            wall_s=s_from_ns(self._wall_ns),
            connections_opened=connections_opened,
            in_flight_max=in_flight_max,
            timer_late_ns=self._late_ns,
        )
