"""When requests are due."""

import numpy as np

from loopfloor.measure.schedule import schedule_arrivals, schedule_constant, schedule_poisson, schedule_sends
from loopfloor.model import OpenLoad, Send
from loopfloor.units import NS_PER_MS, NS_PER_S


def test_constant_arrivals_start_at_0_and_never_bunch() -> None:
    due = schedule_constant(200, 14)
    assert (len(due), due[0], due[1], due[-1]) == (2800, 0, 5 * NS_PER_MS, 13_995 * NS_PER_MS)


def test_an_uneven_rate_adds_up_no_rounding() -> None:
    due = schedule_constant(3, 1000)
    assert len(due) == 3000
    assert due[2999] == round(2999 * NS_PER_S / 3)


def test_poisson_arrivals_follow_from_the_seed_and_keep_the_rate() -> None:
    due = schedule_poisson(1000, 60, seed=7)
    assert np.array_equal(due, schedule_poisson(1000, 60, seed=7))
    assert not np.array_equal(due[:50], schedule_poisson(1000, 60, seed=8)[:50])
    assert abs(len(due) - 60_000) < 5 * np.sqrt(60_000)
    gaps = np.diff(due)
    assert abs(gaps.std() / gaps.mean() - 1) < 0.05  # exponential: deviation equals mean


def test_a_load_names_its_arrivals() -> None:
    constant = OpenLoad(route="/", rate_per_s=10, duration_s=1)
    assert len(schedule_arrivals(constant)) == 10
    assert len(np.unique(np.diff(schedule_arrivals(constant.model_copy(update={"arrivals": "poisson"}))))) > 1


def test_what_is_sent_beside_the_load_has_a_route_of_its_own_and_keeps_its_time() -> None:
    load = OpenLoad(route="/work", rate_per_s=10, duration_s=1, extra=(Send(at_s=0.55, route="/block?ms=5"),))
    schedule = schedule_sends(load)
    assert schedule.routes == ["/work", "/block?ms=5"]
    assert schedule.route.tolist() == [0] * 6 + [1] + [0] * 4
    assert schedule.due_ns[6] == 550_000_000
    assert (np.diff(schedule.due_ns) > 0).all()
