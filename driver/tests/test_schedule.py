"""When requests are due."""

import numpy as np

from loopfloor.measure.schedule import schedule_arrivals, schedule_constant, schedule_poisson
from loopfloor.model import OpenLoad
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
