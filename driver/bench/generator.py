"""The generator against wrk, on the same core and the same Node target, in turn.

    docker compose run --rm --entrypoint python tests -m bench.generator

Prints the rate and the CPU time per request of each, their ratio pair by pair, and how late the
generator sends at 1 000 requests/s.
"""

import re
import sys

import numpy as np

from bench.machine import Cost, run_command, run_target, spread
from loopfloor.judge.normalise import find_quantile
from loopfloor.measure.fleet import Address
from loopfloor.measure.load import Generator, Order
from loopfloor.model import ClosedLoad, OpenLoad

CONNECTIONS = 50
DURATION_S = 4
PAIRS = 7


def run_ours(generator: Generator, address: Address) -> Cost:
    load = ClosedLoad(route="/noop", connections=CONNECTIONS, duration_s=DURATION_S)
    outcome = generator.run(Order(address.host, address.port, load, 15, 1024))
    return Cost(len(outcome.requests), outcome.generator.wall_s, outcome.generator.cpu_s)


def run_wrk(address: Address) -> Cost:
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{DURATION_S}s", f"{address.url}/noop"]
    printed, cpu_s = run_command(command)
    counted = re.search(r"(\d+) requests in ([0-9.]+)s", printed)
    assert counted is not None, printed
    return Cost(int(counted[1]), float(counted[2]), cpu_s)


def measure_lateness(generator: Generator, address: Address, rate_per_s: int) -> None:
    load = OpenLoad(route="/noop", rate_per_s=rate_per_s, duration_s=5)
    requests = generator.run(Order(address.host, address.port, load, 15, 1024)).requests
    late_ms = np.sort(requests.sent_ns - requests.intended_ns) / 1e6
    quantiles = {name: find_quantile(late_ms, p) for name, p in (("p50", 50), ("p99", 99), ("max", 100))}
    print(f"send lateness at {rate_per_s}/s: " + ", ".join(f"{name} {ms:.3f} ms" for name, ms in quantiles.items()))


def main() -> None:
    generator = Generator()
    with run_target("node") as address:
        run_ours(generator, address)  # warm up
        pairs = []
        for _ in range(PAIRS):
            pairs.append((run_ours(generator, address), run_wrk(address)))
            print(*(f"{cost.rate_per_s:.0f}/s {cost.cpu_us:.2f} us" for cost in pairs[-1]), sep="   wrk ")
        print("CPU us per request, ours:", spread([ours.cpu_us for ours, _ in pairs]))
        print("CPU us per request, wrk: ", spread([wrk.cpu_us for _, wrk in pairs]))
        print("CPU per request, ours / wrk:", spread([ours.cpu_us / wrk.cpu_us for ours, wrk in pairs]))
        print("rate, ours / wrk:", spread([ours.rate_per_s / wrk.rate_per_s for ours, wrk in pairs]))
        for rate_per_s in (200, 1000, 5000):
            measure_lateness(generator, address, rate_per_s)
    generator.close()


if __name__ == "__main__":
    sys.exit(main())
