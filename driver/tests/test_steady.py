"""A trial that changes within itself (quarkus#633: an average that hid a warm-up)."""

from loopfloor.judge.steady import is_steady, leave_out_first
from loopfloor.model import Fate, Requests
from support.arrays import make_requests, make_span


def make_series(*latencies_ms: float) -> Requests:
    """Return 100 requests per second, each second with its own latency."""
    rows = [
        (second * 1000 + n * 10.0, second * 1000 + n * 10.0, second * 1000 + n * 10.0 + latency, 200, Fate.OK)
        for second, latency in enumerate(latencies_ms)
        for n in range(100)
    ]
    return make_requests(rows)


def test_a_target_five_times_slower_at_first_is_not_steady() -> None:
    assert not is_steady(make_series(5, 1, 1, 1, 1), make_span(0, 5000))
    assert not is_steady(make_series(5, 5, 5, 1, 1), make_span(0, 5000))
    assert not is_steady(make_series(1, 1, 1, 1, 5), make_span(0, 5000))


def test_the_noise_of_a_shared_machine_is_steady() -> None:
    assert is_steady(make_series(1, 1.4, 0.8, 1, 1.9), make_span(0, 5000))


def test_too_few_answers_say_nothing() -> None:
    assert is_steady(make_series(5), make_span(0, 5000))


def test_the_first_fifth_is_left_out_of_the_figure() -> None:
    requests, span = leave_out_first(make_series(5, 1, 1, 1, 1), make_span(0, 5000))
    assert len(requests) == 400
    assert span == make_span(1000, 5000)
