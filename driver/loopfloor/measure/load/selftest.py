"""The generator against a server whose answers are known: which loads it carries, and which not."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from loopfloor.errors import GeneratorError
from loopfloor.measure.load.generator import Generator
from loopfloor.measure.load.order import Order, Outcome
from loopfloor.model import ClosedLoad, OpenLoad

HOST = "127.0.0.1"
DELAY_MS = 50.0
TIMEOUT_S = 5.0
MAX_IN_FLIGHT = 4096
STOP_WITHIN_S = 5.0


def make_closed_test(connections: int, duration_s: float) -> ClosedLoad:
    """Return a closed loop whose users start evenly over the known delay.

    All at once they would stay in step for good, and their queue at either end would be part of the figure.
    """
    return ClosedLoad(route="/", connections=connections, duration_s=duration_s, spread_s=DELAY_MS / 1e3)


@contextmanager
def run_known_server(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start the known server and yield its process; `read_port` says where it listens."""
    command = [sys.executable, "-m", "loopfloor.measure.load.known_server", *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process
    finally:
        process.stdin.close()
        try:
            process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def read_port(process: subprocess.Popen[bytes]) -> int:
    """Raises GeneratorError where the server did not come up."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line.strip().isdigit():
        raise GeneratorError("the known-delay server did not start")
    return int(line)


def run_selftest(
    generator: Generator, loads: Sequence[ClosedLoad | OpenLoad], *arguments: str
) -> Iterator[tuple[ClosedLoad | OpenLoad, Outcome]]:
    """Yield each load with what came of it against the known server (its options in `arguments`)."""
    with run_known_server(*arguments) as process:
        port = read_port(process)
        for load in loads:
            yield load, generator.run(Order(HOST, port, load, TIMEOUT_S, MAX_IN_FLIGHT))
