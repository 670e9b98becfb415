"""Pacing by timerfd against pacing by the loop's own timers, as most generators do it, in turn.

docker compose run --rm --no-deps --entrypoint python tests -m bench.pacing
"""

import asyncio
import sys
from collections.abc import Callable
from time import perf_counter_ns

import numpy as np
import uvloop

from bench.machine import run_target, spread
from loopfloor.judge.normalise import find_quantile
from loopfloor.measure.fleet import Address
from loopfloor.measure.load import Order
from loopfloor.measure.load import open as open_loop
from loopfloor.measure.load.pacer import Pacer
from loopfloor.model import OpenLoad

RATES_PER_S = (50, 1000, 5000)
ROUNDS = 5


class LoopTimerPacer:
    """The same as `Pacer`, on `loop.call_later`: whole ms on libuv."""

    def __init__(self, loop: asyncio.AbstractEventLoop, wake: Callable[[], None]) -> None:
        self._loop = loop
        self._wake = wake

    def set(self, due_ns: int) -> None:
        self._loop.call_later(max(0, due_ns - perf_counter_ns()) / 1e9, self._wake)

    def close(self) -> None:
        """There is nothing to close."""


def measure_p99_ms(pacer: type, address: Address, rate_per_s: int) -> float:
    open_loop.Pacer = pacer  # type: ignore[attr-defined]
    load = OpenLoad(route="/noop", rate_per_s=rate_per_s, duration_s=3)
    requests = uvloop.run(open_loop.OpenLoop(Order(address.host, address.port, load, 15, 1024), load).run()).requests
    late_ms = np.sort(requests.sent_ns - requests.intended_ns) / 1e6
    return find_quantile(late_ms, 99) or 0.0


def main() -> None:
    with run_target("node") as address:
        for rate_per_s in RATES_PER_S:
            rounds = [
                [measure_p99_ms(pacer, address, rate_per_s) for pacer in (Pacer, LoopTimerPacer)] for _ in range(ROUNDS)
            ]
            print(
                f"{rate_per_s}/s, send lateness p99 in ms: timerfd {spread([ours for ours, _ in rounds], 3)}, "
                f"loop timers {spread([other for _, other in rounds], 3)}"
            )


if __name__ == "__main__":
    sys.exit(main())
