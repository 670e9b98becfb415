"""What the ruler costs its target: throughput at 10 ms and at 1 ms against one firing a second, alternated.

    docker compose run --rm --no-deps --entrypoint python tests -m bench.ruler

At 1000 ms the ruler fires once a second, which stands for "off".
"""

import sys
from statistics import median

from bench.machine import run_target, spread
from loopfloor.measure.fleet import Address
from loopfloor.measure.load import Generator, Order
from loopfloor.measure.readings import Instruments
from loopfloor.model import ClosedLoad

OFF_MS = 1000
PAIRS = 15
DURATION_S = 2


def count_per_s(generator: Generator, address: Address, instruments: Instruments, interval_ms: int) -> float:
    instruments.arm(interval_ms)
    load = ClosedLoad(route="/noop", connections=20, duration_s=DURATION_S)
    outcome = generator.run(Order(address.host, address.port, load, 15, 1024))
    return len(outcome.requests) / outcome.generator.wall_s


def main() -> None:
    generator = Generator()
    for target in ("asyncio", "uvloop", "node"):
        with run_target(target) as address, Instruments(address.url) as instruments:
            count_per_s(generator, address, instruments, OFF_MS)  # warm up
            for interval_ms in (10, 1):
                losses = []
                for turn in range(PAIRS):
                    order = (interval_ms, OFF_MS) if turn % 2 else (OFF_MS, interval_ms)
                    rates = {ms: count_per_s(generator, address, instruments, ms) for ms in order}
                    losses.append(1 - rates[interval_ms] / rates[OFF_MS])
                print(f"{target}, ruler at {interval_ms} ms: throughput lost {median(losses) * 100:.1f} %", end="  ")
                print(f"(pairs: {spread([loss * 100 for loss in losses], 1)} %)")
    generator.close()


if __name__ == "__main__":
    sys.exit(main())
