"""Wakes the loop at absolute instants, by timerfd.

A loop's own timers are rounded to whole ms (measured 0.5 to 1.1 ms late at 1 000/s); a timerfd on
CLOCK_MONOTONIC, watched like a socket, is late by 0.06 to 0.1 ms.
"""

import asyncio
import os
import time
from collections.abc import Callable


class Pacer:
    """Calls `wake` once for each instant that it was set to."""

    def __init__(self, loop: asyncio.AbstractEventLoop, wake: Callable[[], None]) -> None:
        self._loop = loop
        self._wake = wake
        self._fd = os.timerfd_create(time.CLOCK_MONOTONIC, flags=os.TFD_NONBLOCK | os.TFD_CLOEXEC)
        loop.add_reader(self._fd, self._expire)

    def set(self, due_ns: int) -> None:
        """Wake at `due_ns` (CLOCK_MONOTONIC); an instant already past wakes at once."""
        os.timerfd_settime_ns(self._fd, flags=os.TFD_TIMER_ABSTIME, initial=max(1, due_ns))

    def close(self) -> None:
        self._loop.remove_reader(self._fd)
        os.close(self._fd)

    def _expire(self) -> None:
        try:
            os.read(self._fd, 8)
        except BlockingIOError:
            return  # it was set again since it expired
        self._wake()
