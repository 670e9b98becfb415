"""The lag of the last whole second: its p99, the busy share beside it, and this very instant's.

Fed by the ruler; read by metrics and admission. Nothing here is reset by whoever reads it.
"""

import time

from target.busy import BusyMeter
from target.ruler import Ruler

SECOND_NS = 1_000_000_000


class LagMonitor:
    """`lag_p99_ms` and `busy` describe the last second that is over; None until one is."""

    def __init__(self, ruler: Ruler, busy: BusyMeter) -> None:
        self._ruler = ruler
        self._busy = busy
        self._lags_ns: list[int] = []
        self._second_began_ns = time.perf_counter_ns()
        self._busy_s = busy.read_busy_s()
        self.lag_p99_ms: float | None = None
        self.busy: float | None = None
        ruler.watch(self._note)

    def _note(self, lag_ns: int) -> None:
        self._lags_ns.append(lag_ns)
        now_ns = time.perf_counter_ns()
        elapsed_ns = now_ns - self._second_began_ns
        if elapsed_ns < SECOND_NS:
            return
        self._lags_ns.sort()
        rank = -(-99 * len(self._lags_ns) // 100)
        self.lag_p99_ms = self._lags_ns[rank - 1] / 1e6
        busy_s = self._busy.read_busy_s()
        self.busy = (busy_s - self._busy_s) * 1e9 / elapsed_ns
        self._lags_ns, self._busy_s, self._second_began_ns = [], busy_s, now_ns

    def read_lag_now_ms(self) -> float:
        """Return how late the ruler is at this instant; negative while it is not due yet."""
        return self._ruler.read_overdue_ns() / 1e6
