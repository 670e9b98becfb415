"""Lag, metrics and the door, fed by hand instead of by a ruler."""

import logging
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from target.admission import Admission, Settings, read_settings
from target.lag import SECOND_NS, LagMonitor
from target.metrics import Metrics

MS = 1_000_000


class HandRuler:
    """Notes lags when told to."""

    def __init__(self) -> None:
        self.watchers: list[Callable[[int], None]] = []
        self.overdue_ns = 0

    def watch(self, note: Callable[[int], None]) -> None:
        self.watchers.append(note)

    def read_overdue_ns(self) -> int:
        return self.overdue_ns

    def fire(self, lag_ns: int) -> None:
        for note in self.watchers:
            note(lag_ns)


def make_lag(ruler: HandRuler, busy_s: float = 0.0) -> LagMonitor:
    return LagMonitor(ruler, SimpleNamespace(read_busy_s=lambda: busy_s))  # type: ignore[arg-type]


def test_a_stall_is_counted_and_logged_with_its_length_and_time(caplog: pytest.LogCaptureFixture) -> None:
    ruler = HandRuler()
    metrics = Metrics(ruler, make_lag(ruler))  # type: ignore[arg-type]
    with caplog.at_level(logging.WARNING, "target"):
        for lag_ms in (0, 200, 250, 251, 1500):
            ruler.fire(lag_ms * MS)
    assert [record.getMessage()[:36] for record in caplog.records] == [
        "event loop stalled for 251 ms until ",
        "event loop stalled for 1500 ms until",
    ]
    assert caplog.records[0].getMessage().endswith("Z")
    text = metrics.expose().decode()
    assert "event_loop_stalls_total 2.0" in text
    assert 'event_loop_lag_seconds_bucket{le="0.25"} 3.0' in text
    assert text == metrics.expose().decode()
    assert "_created" not in text


def test_the_last_second_is_described_once_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=0)
    monkeypatch.setattr("target.lag.time.perf_counter_ns", lambda: clock.now)
    ruler, meter = HandRuler(), SimpleNamespace(busy_s=0.0)
    lag = LagMonitor(ruler, SimpleNamespace(read_busy_s=lambda: meter.busy_s))  # type: ignore[arg-type]
    for number in range(1, 101):
        assert lag.lag_p99_ms is None
        clock.now = number * SECOND_NS // 100
        meter.busy_s = clock.now / SECOND_NS / 4
        ruler.fire(number * MS)
    assert (lag.lag_p99_ms, lag.busy) == (99, pytest.approx(0.25))


@pytest.mark.parametrize(
    ("shown_ms", "refused"), [((150, 250, 150, 99, 150), (False, True, True, False, False)), ((200,), (False,))]
)
def test_the_window_rule_lets_go_at_half_of_what_it_took_hold_at(
    shown_ms: tuple[float, ...], refused: tuple[bool, ...]
) -> None:
    lag = SimpleNamespace(lag_p99_ms=None, busy=None, read_lag_now_ms=lambda: -10)
    door = Admission(None, lag)  # type: ignore[arg-type]
    door.apply(Settings(enabled=True, lag_p99_ms=200))
    assert not door.refuses()
    for value, expected in zip(shown_ms, refused, strict=True):
        lag.lag_p99_ms = value
        assert door.refuses() is expected


def test_a_busy_second_sheds_until_nine_tenths() -> None:
    lag = SimpleNamespace(lag_p99_ms=5, busy=0.95, read_lag_now_ms=lambda: -10)
    door = Admission(None, lag)  # type: ignore[arg-type]
    door.apply(read_settings({"enabled": True}))
    answers = []
    for lag.busy in (0.89, 0.95, 0.85, 0.80):
        answers.append(door.refuses())
    assert answers == [False, True, True, False]


def test_the_instant_rule_looks_at_this_very_request() -> None:
    ruler = HandRuler()
    door = Admission(None, make_lag(ruler))  # type: ignore[arg-type]
    door.apply(Settings(enabled=True, lag_now_ms=0))
    answers: list[Any] = []
    for ruler.overdue_ns in (-5 * MS, 1, -1, 3 * MS):
        answers.append(door.refuses())
    assert answers == [False, True, False, True]
