"""The generator against wrk and autocannon: same core, same Node target, in turn; then against a known delay.

    docker compose run --rm --no-deps --entrypoint python tests -m bench.generator

Prints rate and CPU time per request of each with their ratios, pair by pair; what each says of a server that
answers after exactly 50 ms; and how late ours sends.
"""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bench.machine import Cost, run_command, run_target, spread
from loopfloor.judge.normalise import find_quantile
from loopfloor.measure.fleet import Address
from loopfloor.measure.load import DELAY_MS, Generator, Order
from loopfloor.measure.load.selftest import HOST, read_port, run_known_server
from loopfloor.model import ClosedLoad, OpenLoad

CONNECTIONS = 50
DURATION_S = 4
ROUNDS = 7
AUTOCANNON = Path(__file__).parent / "node_modules" / ".bin" / "autocannon"
UNITS_MS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


def run_ours(generator: Generator, address: Address) -> Cost:
    load = ClosedLoad(route="/noop", connections=CONNECTIONS, duration_s=DURATION_S)
    outcome = generator.run(Order(address.host, address.port, load, 15, 1024))
    latency_ms = np.sort(outcome.requests.done_ns - outcome.requests.sent_ns) / 1e6
    p50_ms, p99_ms = (find_quantile(latency_ms, percent) for percent in (50, 99))
    return Cost(len(outcome.requests), outcome.generator.wall_s, outcome.generator.cpu_s, p50_ms, p99_ms)


def run_wrk(address: Address) -> Cost:
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{DURATION_S}s", "--latency", f"{address.url}/noop"]
    printed, cpu_s = run_command(command)
    counted = re.search(r"(\d+) requests in ([0-9.]+)s", printed)
    assert counted is not None, printed
    quantiles = {
        name: float(value) * UNITS_MS[unit] for name, value, unit in re.findall(r"(\d+)%\s+([0-9.]+)(\w+)", printed)
    }
    return Cost(int(counted[1]), float(counted[2]), cpu_s, quantiles["50"], quantiles["99"])


def run_autocannon(address: Address) -> Cost:
    command = [str(AUTOCANNON), "-c", str(CONNECTIONS), "-d", str(DURATION_S), "--json", f"{address.url}/noop"]
    printed, cpu_s = run_command(command)
    result = json.loads(printed)
    latency = result["latency"]
    return Cost(result["requests"]["total"], result["duration"], cpu_s, latency["p50"], latency["p99"])


def measure_lateness(generator: Generator, address: Address, rate_per_s: int) -> None:
    load = OpenLoad(route="/noop", rate_per_s=rate_per_s, duration_s=5)
    requests = generator.run(Order(address.host, address.port, load, 15, 1024)).requests
    late_ms = np.sort(requests.sent_ns - requests.intended_ns) / 1e6
    quantiles = {name: find_quantile(late_ms, p) for name, p in (("p50", 50), ("p99", 99), ("max", 100))}
    print(f"send lateness at {rate_per_s}/s: " + ", ".join(f"{name} {ms:.3f} ms" for name, ms in quantiles.items()))


def main() -> None:
    generator = Generator()
    tools: dict[str, Callable[[Address], Cost]] = {
        "ours": lambda address: run_ours(generator, address),
        "wrk": run_wrk,
        "autocannon": run_autocannon,
    }
    with run_target("node") as address:
        run_ours(generator, address)  # warm up
        rounds = [{name: run(address) for name, run in tools.items()} for _ in range(ROUNDS)]
        for name in tools:
            print(f"{name:<11}rate {spread([costs[name].rate_per_s for costs in rounds], 0)} /s", end="   ")
            print(f"CPU {spread([costs[name].cpu_us for costs in rounds])} us a request")
        for name in ("wrk", "autocannon"):
            print(f"CPU a request, ours / {name}: {spread([c['ours'].cpu_us / c[name].cpu_us for c in rounds])}")
            print(f"rate, ours / {name}: {spread([c['ours'].rate_per_s / c[name].rate_per_s for c in rounds])}")
        for rate_per_s in (200, 1000, 5000):
            measure_lateness(generator, address, rate_per_s)
    with run_known_server("--cpu", "1") as server:
        known = Address(HOST, read_port(server))
        for name, run in tools.items():
            cost = run(known)
            print(f"a delay of {DELAY_MS:.0f} ms by {name}: p50 {cost.p50_ms:.2f}, p99 {cost.p99_ms:.2f}")
    generator.close()


if __name__ == "__main__":
    sys.exit(main())
