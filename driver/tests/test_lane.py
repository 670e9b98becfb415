"""The ideal lane, against queueing theory and by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopfloor.judge.lane import idealise, serve_fifo, serve_two_visits
from loopfloor.judge.normalise import Span
from loopfloor.judge.tables.ramp import find_bend_second, idealise_ramp, select_intended
from loopfloor.measure.schedule import schedule_constant, schedule_poisson
from loopfloor.model import Fate
from loopfloor.units import NS_PER_MS, NS_PER_S
from support.arrays import START_NS, make_answered, make_requests


def ms(*values: float) -> np.ndarray:
    return np.array([round(value * NS_PER_MS) for value in values], dtype=np.int64)


@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
def test_the_mean_wait_is_that_of_pollaczek_and_khinchine(load: float) -> None:
    """M/D/1: the mean wait in the queue is ρ·s / (2(1 − ρ))."""
    work_ns = 2 * NS_PER_MS
    arrivals = schedule_poisson(load * NS_PER_S / work_ns, 1500, seed=11)
    waits = serve_fifo(arrivals, lambda _: work_ns) - arrivals - work_ns
    assert waits.mean() == pytest.approx(load * work_ns / (2 * (1 - load)), rel=0.05)


def test_a_lane_by_hand() -> None:
    """Arrivals at 0, 1, 2 and 20 ms, 5 ms each: done at 5, 10, 15 and 25."""
    assert serve_fifo(ms(0, 1, 2, 20), lambda _: 5 * NS_PER_MS).tolist() == ms(5, 10, 15, 25).tolist()


def test_the_work_is_decided_when_it_starts() -> None:
    """Both arrive in second 0; the second one starts in second 1 and costs what second 1 costs."""
    done = serve_fifo(ms(0, 1), lambda start: (1000 if start < NS_PER_S else 7) * NS_PER_MS)
    assert done.tolist() == ms(1000, 1007).tolist()


def test_a_second_visit_queues_behind_the_work_of_others() -> None:
    """2 ms of work, 10 ms of waiting. The first is back at 12, and finds the lane taken from 11 to 13."""
    done = serve_two_visits(ms(0, 11, 30), 2 * NS_PER_MS, 10 * NS_PER_MS)
    assert done.tolist() == ms(13, 23, 42).tolist()


def test_what_was_skipped_never_arrived_and_late_sends_arrive_late() -> None:
    requests = make_requests(
        [
            (0.0, 0.0, 100.0, 200, Fate.OK),
            (1.0, None, None, 0, Fate.SKIPPED),
            (2.0, 4.0, 15002.0, 0, Fate.TIMEOUT),
        ]
    )
    ideal = idealise(requests, lambda arrivals, _: serve_fifo(arrivals, lambda _: 3 * NS_PER_MS))
    assert (ideal.done_ns - START_NS).tolist() == ms(3, 7).tolist()
    assert (ideal.done_ns - ideal.intended_ns).tolist() == ms(3, 5).tolist()


@pytest.mark.parametrize("rate_per_s", [100, 200, 333])
def test_the_ideal_ramp_bends_soon_after_the_lane_is_full(rate_per_s: int) -> None:
    """A lane at R requests/s with 1 ms more a second is full at second 1000/R; its queue takes a while to show."""
    duration_s = 1000 // rate_per_s + 4
    due = schedule_constant(rate_per_s, duration_s)
    requests = make_answered([1.0] * len(due))
    requests.intended_ns[:] = requests.sent_ns[:] = START_NS + due
    ideal = idealise_ramp(requests, START_NS)
    spans = [Span(START_NS + second * NS_PER_S, START_NS + (second + 1) * NS_PER_S) for second in range(duration_s)]
    bend = find_bend_second([select_intended(ideal, span) for span in spans])
    assert bend is not None
    assert 1000 // rate_per_s <= bend <= 1000 // rate_per_s + 2


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=60), st.integers(0, 10**7), st.integers(0, 10**7))
@settings(deadline=None)
def test_a_lane_never_answers_early_keeps_order_and_loses_none(gaps: list[int], work: int, wait: int) -> None:
    arrivals = np.cumsum(np.array(gaps, dtype=np.int64))
    done = serve_fifo(arrivals, lambda _: work)
    assert (done >= arrivals + work).all()
    assert (np.diff(done) >= work).all()
    twice = serve_two_visits(arrivals, work, wait)
    assert (twice >= done + wait).all()
    shifted = serve_fifo(arrivals + 5_000, lambda _: work)
    assert (shifted - done == 5_000).all()
