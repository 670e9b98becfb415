"""`judge` against the oracle on random input, its laws, and a brute-force loop whose true wait is known."""

import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopfloor.judge.normalise import (
    QUANTILES,
    Span,
    find_quantile,
    read_gaps,
    read_latency,
    read_lateness,
)
from loopfloor.model import Fate, Requests, Samples
from loopfloor.units import NS_PER_MS
from support import oracle

ORIGIN_NS = 10**12
GAPS = st.lists(st.integers(1_000, 3_000_000_000), min_size=1, max_size=60)
FLOORS = st.integers(0, 50_000_000)


def build(gaps_ns: list[int]) -> tuple[Samples, list[oracle.Gap]]:
    fired = ORIGIN_NS + np.cumsum(np.array(gaps_ns, dtype=np.int64))
    samples = Samples(fired_at_ns=fired, gap_ns=np.array(gaps_ns, dtype=np.int64))
    return samples, list(zip(fired.tolist(), gaps_ns, strict=True))


@st.composite
def spans(draw: st.DrawFn, gaps_ns: list[int]) -> Span:
    total = sum(gaps_ns)
    start = draw(st.integers(0, total - 1_000))
    return Span(ORIGIN_NS + start, ORIGIN_NS + draw(st.integers(start + 1_000, total)))


@given(st.data(), GAPS, FLOORS, st.integers(0, 10**9))
@settings(max_examples=300, deadline=None)
def test_lateness_and_waits_are_the_oracles(data: st.DataObject, gaps_ns: list[int], floor: int, budget: int) -> None:
    samples, gaps = build(gaps_ns)
    span = data.draw(spans(gaps_ns))
    figures = read_lateness(samples, span, floor, budget)
    assert figures is not None
    arguments = (gaps, span.start_ns, span.end_ns, floor)
    assert figures.late_share == pytest.approx(float(oracle.late_share(*arguments)), abs=1e-9)
    assert figures.wait.mean == pytest.approx(float(oracle.mean_wait(*arguments)), rel=1e-9, abs=1e-3)
    longest = max((fired - first for first, _, fired in oracle.late_parts(*arguments)), default=0)
    assert figures.wait.max == longest
    beyond = 1 - oracle.share_waiting_at_most(*arguments, Fraction(budget))
    assert figures.over_budget_share == pytest.approx(float(beyond), abs=1e-9)
    for share, wait in ((0.5, figures.wait.p50), (0.9, figures.wait.p90), (0.99, figures.wait.p99)):
        # The smallest x with P ≥ p: P at x reaches p, and a little before it does not.
        reached = oracle.share_waiting_at_most(*arguments, Fraction(wait))
        assert reached >= share - 1e-9
        if wait > 1:
            assert oracle.share_waiting_at_most(*arguments, Fraction(wait) - 1) < share + 1e-9


@given(st.data(), GAPS)
@settings(max_examples=200, deadline=None)
def test_gap_figures_are_the_oracles(data: st.DataObject, gaps_ns: list[int]) -> None:
    samples, gaps = build(gaps_ns)
    span = data.draw(spans(gaps_ns))
    figures = read_gaps(samples, span)
    inside = [gap for _, gap in oracle.overlapping(gaps, span.start_ns, span.end_ns)]
    assert figures is not None
    assert figures.count == len(inside)
    assert (figures.min, figures.max) == (min(inside), max(inside))
    assert figures.p50 == oracle.nearest_rank(inside, Fraction(50))
    assert figures.p99 == oracle.nearest_rank(inside, Fraction(99))
    assert figures.mean == pytest.approx(sum(inside) / len(inside))
    assert figures.firings == sum(span.start_ns < fired <= span.end_ns for fired, _ in gaps)


OUTCOMES = st.lists(
    st.tuples(st.sampled_from(["ok", "timeout", "failed"]), st.integers(1, 10**10)), min_size=1, max_size=300
)


@given(OUTCOMES)
@settings(max_examples=300, deadline=None)
def test_latency_quantiles_are_the_oracles(outcomes: list[tuple[str, int]]) -> None:
    fates = {"ok": Fate.OK, "timeout": Fate.TIMEOUT, "failed": Fate.CONN_ERROR}
    values = np.array([value for _, value in outcomes], dtype=np.int64)
    intended = np.full(len(values), ORIGIN_NS)
    codes = np.array([fates[kind] for kind, _ in outcomes], dtype=np.int8)
    zeros = np.zeros(len(values), dtype=np.int16)
    requests = Requests(intended, intended, intended + values, zeros, codes, zeros.astype(np.int8))
    figures = read_latency(requests, requests.intended_ns)
    assert figures is not None
    for name, percent in QUANTILES.items():
        if name != "p999":
            expected = oracle.latency_quantile(outcomes, Fraction(str(percent)))
            assert getattr(figures, name) == expected
    known = [value for name in ("p50", "p90", "p99", "max") if (value := getattr(figures, name)) is not None]
    assert known == sorted(known)
    clean = all(kind == "ok" for kind, _ in outcomes)
    assert (not figures.lower_bounds) == clean


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=500), st.integers(1, 1000), st.integers(0, 10**9))
@settings(deadline=None)
def test_quantiles_keep_their_order_and_follow_shift_and_scale(values: list[int], scale: int, shift: int) -> None:
    ascending = np.sort(np.array(values, dtype=np.int64))
    quantiles = [find_quantile(ascending, percent) for percent in (50, 90, 99, 99.9, 100)]
    assert quantiles == sorted(quantiles)  # type: ignore[type-var]
    moved = [find_quantile(ascending * scale + shift, percent) for percent in (50, 90, 99, 99.9, 100)]
    assert moved == [value * scale + shift for value in quantiles if value is not None]


@given(GAPS, FLOORS)
@settings(deadline=None)
def test_a_partition_of_the_time_adds_up(gaps_ns: list[int], floor: int) -> None:
    """The late time of the whole is the sum of the late times of its parts."""
    samples, _ = build(gaps_ns)
    total = sum(gaps_ns)
    edges = sorted({0, total // 3, total // 2, total})
    whole = read_lateness(samples, Span(ORIGIN_NS, ORIGIN_NS + total), floor, 0)
    assert whole is not None
    parts = 0.0
    for low, high in pairwise(edges):
        figures = read_lateness(samples, Span(ORIGIN_NS + low, ORIGIN_NS + high), floor, 0)
        assert figures is not None
        parts += figures.late_share * (high - low)
    assert whole.late_share * total == pytest.approx(parts, rel=1e-9, abs=1e-3)


@pytest.mark.parametrize("seed", range(12))
def test_the_true_wait_lies_between_the_bounds(seed: int) -> None:
    """A loop of random busy and idle spans, and its ruler: the wait that a callback really has is inside."""
    noise = random.Random(seed)
    interval_ns = 10 * NS_PER_MS
    busy: list[tuple[int, int]] = []  # the spans in which the loop is held
    now = ORIGIN_NS
    while now < ORIGIN_NS + 20_000 * NS_PER_MS:
        now += round(noise.expovariate(1 / noise.choice([5, 30, 100])) * NS_PER_MS)
        held = round(noise.choice([0.5, 3, 8, 20, 150]) * noise.uniform(0.5, 1.5) * NS_PER_MS)
        busy.append((now, now + held))
        now += held

    def free_at(instant: int) -> int:
        for start, end in busy:
            if start <= instant < end:
                return end
        return instant

    fired, gaps = [ORIGIN_NS], []
    while fired[-1] < now:
        fired.append(free_at(fired[-1] + interval_ns))
        gaps.append(fired[-1] - fired[-2])
    samples = Samples(np.array(fired[1:], dtype=np.int64), np.array(gaps, dtype=np.int64))
    span = Span(ORIGIN_NS, fired[-1])
    figures = read_lateness(samples, span, interval_ns, 0)
    assert figures is not None
    instants = [noise.randrange(span.start_ns, span.end_ns) for _ in range(4000)]
    waits = np.sort(np.array([free_at(instant) - instant for instant in instants], dtype=np.float64))
    for percent, wait in ((50, figures.wait.p50), (90, figures.wait.p90), (99, figures.wait.p99)):
        true = find_quantile(waits, percent)
        assert true is not None
        slack = 0.05 * true + 2 * NS_PER_MS  # 4000 instants are a sample too
        assert wait - slack <= true <= wait + interval_ns + slack
    assert figures.wait.mean - NS_PER_MS <= waits.mean() <= figures.wait.mean + interval_ns
