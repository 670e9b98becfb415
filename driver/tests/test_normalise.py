"""The figures, against numbers worked out by hand. The formulas are those of METHOD.md."""

import numpy as np
import pytest

from loopfloor.judge.normalise import (
    count_per_s,
    find_quantile,
    find_rank,
    read_busy,
    read_gaps,
    read_latency,
    read_lateness,
    select_ok,
    tally_fates,
)
from loopfloor.model import Counters, Fate
from loopfloor.units import NS_PER_MS, NS_PER_S
from support.arrays import make_answered, make_requests, make_samples, make_span, whole_span


def test_a_quantile_is_the_nearest_rank() -> None:
    values = np.arange(1, 1001)
    assert [find_quantile(values, p) for p in (50, 99, 99.9, 100)] == [500, 990, 999, 1000]
    assert find_quantile(values[:0], 50) is None


def test_ranks_are_exact_where_floats_are_not() -> None:
    assert find_rank(1000, 99.9) == 999
    assert find_rank(100, 99) == 99
    assert find_rank(1, 50) == 1


def test_every_gap_that_overlaps_the_span_counts_and_firings_are_inside_it() -> None:
    samples = make_samples([10, 10, 200, 10, 10])
    figures = read_gaps(samples, make_span(15, 225))
    assert figures is not None
    assert (figures.count, figures.firings) == (3, 2)  # the gaps 10-20, 20-220 and 220-230; the last ends outside
    assert figures.max == 200 * NS_PER_MS


def test_a_span_inside_one_gap_is_stalled_and_still_has_that_gap() -> None:
    figures = read_gaps(make_samples([10, 500, 10]), make_span(100, 200))
    assert figures is not None
    assert (figures.count, figures.firings, figures.p50) == (1, 0, 500 * NS_PER_MS)


def test_a_span_without_a_gap_has_no_figures() -> None:
    assert read_gaps(make_samples([10]), make_span(100, 200)) is None
    assert read_lateness(make_samples([10]), make_span(100, 200), 10, 1) is None


def test_one_stall_hides_from_the_samples_and_shows_in_the_wait() -> None:
    """One 200 ms stall in 4.2 s: by sample p99 is the floor, by time 4.5 % of instants wait."""
    samples = make_samples([10] * 200 + [200] + [10] * 200)
    gaps = read_gaps(samples, whole_span(samples))
    lateness = read_lateness(samples, whole_span(samples), 10 * NS_PER_MS, 50 * NS_PER_MS)
    assert gaps is not None
    assert lateness is not None
    assert gaps.p99 == 10 * NS_PER_MS
    assert gaps.max == 200 * NS_PER_MS
    assert lateness.late_share == pytest.approx(190 / 4200)
    assert lateness.over_budget_count == 1
    assert lateness.over_budget_share == pytest.approx((190 - 50) / 4200)
    assert lateness.wait.p50 == 0
    assert lateness.wait.max == 190 * NS_PER_MS
    assert lateness.wait.mean == pytest.approx(190**2 / 2 / 4200 * NS_PER_MS)
    # P(wait <= x) = (4010 + x) / 4200 = 0.99  ->  x = 148
    assert lateness.wait.p99 == pytest.approx(148 * NS_PER_MS)


def test_wait_quantiles_of_two_stalls_follow_the_formula() -> None:
    samples = make_samples([110, 310])
    lateness = read_lateness(samples, whole_span(samples), 10 * NS_PER_MS, 0)
    assert lateness is not None
    # P(x) = (20 + min(100, x) + min(300, x)) / 420: at 0.5, 2x = 190; at 0.9, 120 + x = 378
    assert lateness.wait.p50 == pytest.approx(95 * NS_PER_MS)
    assert lateness.wait.p90 == pytest.approx(258 * NS_PER_MS)


def test_only_the_overlapped_part_of_a_gap_counts_in_shares_and_waits() -> None:
    """The gap 0-210 is late in 10-210. Of the span 110-160 all is late, its instants wait 50 to 100 ms."""
    samples = make_samples([210, 10])
    lateness = read_lateness(samples, make_span(110, 160), 10 * NS_PER_MS, 0)
    assert lateness is not None
    assert lateness.late_share == 1
    assert lateness.wait.mean == pytest.approx(75 * NS_PER_MS)
    assert lateness.wait.p50 == pytest.approx(75 * NS_PER_MS)
    assert lateness.wait.max == pytest.approx(100 * NS_PER_MS)


def test_gaps_below_the_floor_are_counted_and_clamped() -> None:
    samples = make_samples([9.2, 10.0, 10.8])
    lateness = read_lateness(samples, whole_span(samples), 10 * NS_PER_MS, 0)
    assert lateness is not None
    assert lateness.negative_count == 1
    assert lateness.late_share == pytest.approx(0.8 / 30)


def test_latency_quantiles_of_plain_answers() -> None:
    figures = read_latency(requests := make_answered(range(1, 1001)), requests.intended_ns)
    assert figures is not None
    expected = [ms * NS_PER_MS for ms in (500, 900, 990, 999, 1000)]
    assert [figures.p50, figures.p90, figures.p99, figures.p999, figures.max] == expected
    assert figures.mean == pytest.approx(500.5 * NS_PER_MS)
    assert figures.lower_bounds == []


def test_p999_is_blank_under_a_thousand_requests() -> None:
    figures = read_latency(requests := make_answered(range(1, 1000)), requests.intended_ns)
    assert figures is not None
    assert figures.p999 is None


def test_a_timeout_enters_at_its_age_and_makes_lower_bounds() -> None:
    rows = [(0.0, 0.0, 5.0, 200, Fate.OK)] * 9 + [(0.0, 0.0, 1000.0, 0, Fate.TIMEOUT)]
    figures = read_latency(requests := make_requests(rows), requests.intended_ns)
    assert figures is not None
    assert figures.p90 == 5 * NS_PER_MS
    assert figures.p99 == 1000 * NS_PER_MS
    assert list(figures.lower_bounds) == ["mean", "p99", "p999", "max"]


def test_failures_without_a_value_rank_last_and_leave_blanks() -> None:
    rows = [(0.0, 0.0, 300.0, 200, Fate.OK)] * 5 + [(0.0, 0.0, 1.0, 500, Fate.HTTP_ERROR)] * 5
    figures = read_latency(requests := make_requests(rows), requests.intended_ns)
    assert figures is not None
    assert figures.p50 == 300 * NS_PER_MS  # the fast failures do not flatter it
    assert (figures.p90, figures.mean, figures.max) == (None, None, None)
    assert list(figures.lower_bounds) == ["mean", "p90", "p99", "p999", "max"]
    ok_only = read_latency(ok := select_ok(requests), ok.intended_ns)
    assert ok_only is not None
    assert ok_only.mean == 300 * NS_PER_MS


def test_service_time_starts_at_the_actual_send() -> None:
    requests = make_requests([(0.0, 40.0, 45.0, 200, Fate.OK), (0.0, None, None, 0, Fate.SKIPPED)])
    response, service = (
        read_latency(requests, requests.intended_ns),
        read_latency(requests, requests.sent_ns),
    )
    assert response is not None
    assert service is not None
    assert (response.p50, service.p50) == (45 * NS_PER_MS, 5 * NS_PER_MS)


def test_the_sum_rule_counts_every_request_once() -> None:
    rows = [(0.0, 0.0, 1.0, 200, fate) for fate in Fate for _ in range(fate + 1)]
    tally = tally_fates(make_requests(rows))
    assert (tally.intended, tally.ok, tally.http_error, tally.timeout) == (21, 1, 2, 3)
    assert (tally.conn_error, tally.skipped, tally.unfinished) == (4, 5, 6)


def test_a_request_without_a_fate_breaks_the_sum_rule_loudly() -> None:
    broken = make_answered([1, 2])
    broken.fate[1] = -1
    with pytest.raises(ValueError, match="sum rule"):
        tally_fates(broken)


def test_a_rate_counts_the_answers_within_the_span() -> None:
    assert count_per_s(make_answered([10] * 100), make_span(0, 50)) == 41 / 0.05


def make_counters(now_s: float, thread_cpu_s: float | None, busy_s: float | None) -> Counters:
    return Counters(
        now_ns=round(now_s * NS_PER_S), thread_cpu_s=thread_cpu_s, busy_s=busy_s, gc_count=0, gc_s=0, ctx_switches=0
    )


def test_busy_is_the_loops_own_meter_and_thread_cpu_where_it_has_none() -> None:
    metered = read_busy(make_counters(10, 1, 2), make_counters(14, 3, 5), "elu")
    assert (metered.busy, metered.source, metered.thread_cpu_share) == (0.75, "elu", 0.5)
    bare = read_busy(make_counters(10, 1, None), make_counters(14, 3, None), "thread_cpu")
    assert (bare.busy, bare.source) == (0.5, "thread_cpu")
    unknown = read_busy(make_counters(10, None, None), make_counters(14, None, None), "elu")
    assert (unknown.busy, unknown.source, unknown.thread_cpu_share) == (None, None, None)


def test_a_gap_across_the_end_of_the_span_that_is_not_late_inside_it_adds_no_wait() -> None:
    """All gaps at the floor, the span ending 2 ms after a firing: nobody waits, not even at most."""
    samples = make_samples([10.3] * 10)
    lateness = read_lateness(samples, make_span(0, 10.3 * 9 + 2), 10.3 * NS_PER_MS, 0)
    assert lateness is not None
    assert (lateness.late_share, lateness.wait.p99, lateness.wait.max) == (0, 0, 0)
