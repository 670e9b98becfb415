"""The generator, against servers whose behaviour is known. Ratios and structure, no absolute speed."""

import os
import signal
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from loopfloor.errors import GeneratorError
from loopfloor.judge.normalise import read_latency, tally_fates
from loopfloor.measure.load import Generator, Order, Outcome
from loopfloor.model import ClosedLoad, Fate, OpenLoad
from loopfloor.units import NS_PER_MS, NS_PER_S
from support import servers
from support.disturbed import MAY_BE_DISTURBED

pytestmark = MAY_BE_DISTURBED


@pytest.fixture(scope="module")
def generator() -> Iterator[Generator]:
    generator = Generator()
    yield generator
    generator.close()


def run(
    generator: Generator,
    handler: servers.Handler,
    load: ClosedLoad | OpenLoad,
    timeout_s: float = 5,
    max_in_flight: int = 64,
) -> Outcome:
    with servers.serve(handler) as port:
        return generator.run(Order("127.0.0.1", port, load, timeout_s, max_in_flight))


def closed(connections: int = 4, duration_s: float = 0.5) -> ClosedLoad:
    return ClosedLoad(route="/noop", connections=connections, duration_s=duration_s)


def opened(rate_per_s: float = 100, duration_s: float = 1, prelude: str | None = None) -> OpenLoad:
    return OpenLoad(route="/noop", rate_per_s=rate_per_s, duration_s=duration_s, prelude=prelude)


def test_a_closed_loop_keeps_one_request_in_flight_per_connection(generator: Generator) -> None:
    outcome = run(generator, servers.respond(after_s=0.05), closed(connections=8, duration_s=1))
    requests = outcome.requests
    assert (requests.fate == Fate.OK).all()
    assert (requests.sent_ns == requests.intended_ns).all()
    assert outcome.generator.connections_opened == 8
    starts, ends = np.sort(requests.sent_ns), np.sort(requests.done_ns)
    in_flight = np.arange(1, len(starts) + 1) - np.searchsorted(ends, starts)
    assert in_flight.max() == 8
    # Each of the 8 sends again at once: about 1 s / 50 ms times.
    assert len(requests) / 8 == pytest.approx(20, abs=4)


def test_an_open_loop_sends_when_due_whatever_the_answers_do(generator: Generator) -> None:
    outcome = run(generator, servers.respond(after_s=0.3), opened(rate_per_s=100))
    requests = outcome.requests
    assert len(requests) == 100
    assert (np.diff(requests.intended_ns) == NS_PER_S // 100).all()
    assert outcome.generator.in_flight_max >= 25  # 100/s × 0.3 s
    late_ns = np.sort(requests.sent_ns - requests.intended_ns)
    assert late_ns[0] >= 0
    assert late_ns[len(late_ns) // 2] < NS_PER_S // 100


def test_an_idle_connection_is_reused(generator: Generator) -> None:
    outcome = run(generator, servers.respond(), opened(rate_per_s=50))
    assert outcome.generator.connections_opened < 10


@pytest.mark.parametrize("load", [closed(), opened()], ids=["closed", "open"])
def test_an_answer_in_pieces_is_one_answer(generator: Generator, load: ClosedLoad | OpenLoad) -> None:
    requests = run(generator, servers.in_pieces, load).requests
    assert len(requests) > 20
    assert (requests.fate == Fate.OK).all()
    assert (requests.status == 200).all()


@pytest.mark.parametrize("load", [closed(duration_s=1), opened()], ids=["closed", "open"])
def test_every_kind_of_failure_is_counted_under_its_name(generator: Generator, load: ClosedLoad | OpenLoad) -> None:
    handler = servers.alternate(servers.respond(), servers.respond(500), servers.reset, servers.garbage, servers.never)
    outcome = run(generator, handler, load, timeout_s=0.4)
    tally = tally_fates(outcome.requests)
    assert tally.intended == tally.ok + tally.http_error + tally.conn_error + tally.timeout
    assert min(tally.ok, tally.http_error, tally.conn_error, tally.timeout) > 0
    timed_out = outcome.requests.fate == Fate.TIMEOUT
    age_ns = (outcome.requests.done_ns - outcome.requests.intended_ns)[timed_out]
    assert (age_ns == 400 * NS_PER_MS).all()


def test_a_time_out_runs_from_the_intended_send(generator: Generator) -> None:
    """One slow lane: each request waits for those before it, and those past the deadline count as missed."""
    lock = threading.Lock()

    async def one_lane(number: int, writer: servers.asyncio.StreamWriter) -> None:
        with lock:
            time.sleep(0.02)
        writer.write(servers.OK)

    outcome = run(generator, one_lane, opened(rate_per_s=100), timeout_s=0.3)
    tally = tally_fates(outcome.requests)
    assert tally.timeout > 20
    answered = outcome.requests.fate == Fate.OK
    response_ns = (outcome.requests.done_ns - outcome.requests.intended_ns)[answered]
    assert response_ns.max() <= 300 * NS_PER_MS


def test_past_the_cap_an_arrival_is_skipped_and_counted(generator: Generator) -> None:
    outcome = run(generator, servers.respond(after_s=0.5), opened(rate_per_s=100), max_in_flight=10)
    tally = tally_fates(outcome.requests)
    assert outcome.generator.in_flight_max == 10
    assert tally.skipped == tally.intended - tally.ok
    assert tally.skipped > 70
    assert (outcome.requests.sent_ns[outcome.requests.fate == Fate.SKIPPED] == 0).all()


def test_a_server_that_closes_after_each_answer_costs_a_connection_each(generator: Generator) -> None:
    outcome = run(generator, servers.close_after_answer, opened(rate_per_s=50))
    tally = tally_fates(outcome.requests)
    assert tally.ok + tally.conn_error == tally.intended == 50
    assert tally.ok > 40
    assert outcome.generator.connections_opened > 40


def test_the_prelude_is_called_once_before_the_start_and_is_not_a_request(generator: Generator) -> None:
    seen: list[int] = []

    async def note(number: int, writer: servers.asyncio.StreamWriter) -> None:
        seen.append(number)
        writer.write(servers.OK)

    outcome = run(generator, note, opened(rate_per_s=20, prelude="/ramp-reset"))
    assert len(outcome.requests) == 20
    assert len(seen) == 21


def test_a_prelude_that_fails_is_a_failed_trial(generator: Generator) -> None:
    with pytest.raises(GeneratorError, match="/ramp-reset answered 500"):
        run(generator, servers.respond(500), opened(prelude="/ramp-reset"))


def test_a_target_that_refuses_connections_is_a_failed_trial(generator: Generator) -> None:
    with servers.serve(servers.respond()) as port:
        pass
    with pytest.raises(GeneratorError, match="could not start"):
        generator.run(Order("127.0.0.1", port, closed(), 5, 64))


def test_a_generator_that_dies_costs_one_trial_and_is_started_again() -> None:
    generator = Generator()
    with servers.serve(servers.respond()) as port:
        order = Order("127.0.0.1", port, closed(duration_s=0.2), 5, 64)
        generator.run(order)
        assert generator._process is not None
        pid = generator._process.pid
        killer = threading.Timer(0.5, os.kill, (pid, signal.SIGKILL))
        killer.start()
        with pytest.raises(GeneratorError, match=r"died in mid-trial \(exit code -9\)"):
            generator.run(Order("127.0.0.1", port, closed(duration_s=3), 5, 64))
        killer.join()
        assert len(generator.run(order).requests) > 0
    generator.close()


def test_a_freeze_does_not_slow_the_measurement_down(generator: Generator) -> None:
    """wrk#99: in a 4 s run at 50/s the server freezes for 1.6 s; a closed loop would hardly notice."""
    frozen = threading.Event()

    async def freeze_once(number: int, writer: servers.asyncio.StreamWriter) -> None:
        if number == 60 and not frozen.is_set():
            frozen.set()
            time.sleep(1.6)
        writer.write(servers.OK)

    requests = run(generator, freeze_once, opened(rate_per_s=50, duration_s=4), max_in_flight=500).requests
    figures = read_latency(requests, requests.intended_ns)
    assert figures is not None
    assert figures.count == 200
    assert figures.p50 is not None
    assert figures.p99 is not None
    assert figures.p50 < 0.05 * NS_PER_S
    assert figures.p99 > 1.4 * NS_PER_S
