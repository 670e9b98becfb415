"""The generator's own test: what a known server shows, and what is made of it."""

import numpy as np
import pytest

from loopfloor.judge.selftest import Carried, judge_selftest, read_carried
from loopfloor.measure.load import DELAY_MS, Generator, make_closed_test, run_selftest
from loopfloor.model import ClosedLoad, Fate, Idle, OpenLoad, Requests
from loopfloor.units import NS_PER_MS
from support.arrays import START_NS
from support.disturbed import MAY_BE_DISTURBED

pytestmark = MAY_BE_DISTURBED


def make_closed(connections: int, cycle_ms: float, rounds: int = 40) -> Requests:
    """Return a closed loop whose every request takes `cycle_ms`, the users evenly out of step."""
    starts = [user * DELAY_MS / connections + turn * cycle_ms for turn in range(rounds) for user in range(connections)]
    sent = START_NS + np.sort(np.rint(np.array(starts) * NS_PER_MS).astype(np.int64))
    none = np.zeros(len(sent), dtype=np.int8)
    return Requests(sent, sent, sent + round(cycle_ms * NS_PER_MS), none.astype(np.int16), none, none)


@pytest.mark.parametrize(("cycle_ms", "held"), [(50.2, True), (52.0, True), (53.5, False), (62.0, False)])
def test_a_closed_loop_holds_within_5_percent_of_the_arithmetic(cycle_ms: float, held: bool) -> None:
    result = judge_selftest(make_closed_test(20, 2), make_closed(20, cycle_ms), DELAY_MS)
    assert result.expected_per_s == 400
    assert result.rate_per_s == pytest.approx(20 / cycle_ms * 1e3, rel=0.02)
    assert result.held is held


def test_one_failure_or_a_long_tail_is_enough_not_to_hold() -> None:
    requests = make_closed(20, 50.2)
    requests.fate[3] = Fate.CONN_ERROR
    assert not judge_selftest(make_closed_test(20, 2), requests, DELAY_MS).held
    slow = make_closed(20, 50.2)
    slow.done_ns[:20] += 30 * NS_PER_MS
    assert not judge_selftest(make_closed_test(20, 2), slow, DELAY_MS).held


def make_result(kind: str, size: float, *, held: bool) -> Carried:
    return Carried(kind, size, size, size, 50, 51, None, held)


def test_a_load_past_what_was_carried_is_not_allowed() -> None:
    once = [make_result("closed", 50, held=False), make_result("closed", 50, held=True)]
    carried = read_carried([*once, make_result("open", 500, held=False), make_result("open", 500, held=False)])
    assert carried.allows(ClosedLoad(route="/", connections=50, duration_s=1))
    assert carried.allows(OpenLoad(route="/", rate_per_s=200, duration_s=1))
    assert not carried.allows(OpenLoad(route="/", rate_per_s=500, duration_s=1))
    assert carried.allows(Idle(duration_s=1))


def test_the_known_server_answers_after_its_delay_and_freezes_on_schedule() -> None:
    generator = Generator()
    steady = OpenLoad(route="/", rate_per_s=100, duration_s=1)
    ((_, outcome),) = run_selftest(generator, [steady], "--delay-ms", "20")
    service_ms = (outcome.requests.done_ns - outcome.requests.sent_ns) / NS_PER_MS
    assert (outcome.requests.fate == Fate.OK).all()
    assert service_ms.min() >= 20
    assert np.median(service_ms) < 25
    options = ("--delay-ms", "1", "--stall-at-s", "0.5", "--stall-ms", "400")
    ((_, outcome),) = run_selftest(generator, [OpenLoad(route="/", rate_per_s=100, duration_s=1.5)], *options)
    response_ms = (outcome.requests.done_ns - outcome.requests.intended_ns) / NS_PER_MS
    assert 36 <= (response_ms > 20).sum() <= 46  # those that came in the 400 ms
    assert 380 <= response_ms.max() <= 500
    generator.close()
