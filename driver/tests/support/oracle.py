"""The figures of METHOD.md once more: slow, obvious, in exact fractions, and written without a look at `judge`."""

from collections.abc import Sequence
from fractions import Fraction
from math import ceil

Gap = tuple[int, int]  # (when it ended, how long it was), ns


def nearest_rank(values: Sequence[int], percent: Fraction) -> int:
    ordered = sorted(values)
    return ordered[max(1, ceil(percent / 100 * len(ordered))) - 1]


def overlapping(gaps: Sequence[Gap], start: int, end: int) -> list[Gap]:
    return [(fired, gap) for fired, gap in gaps if fired - gap < end and fired > start]


def covered(gaps: Sequence[Gap], start: int, end: int) -> int:
    return sum(min(end, fired) - max(start, fired - gap) for fired, gap in overlapping(gaps, start, end))


def late_parts(gaps: Sequence[Gap], start: int, end: int, floor: int) -> list[tuple[int, int, int]]:
    """Return (from, to, end of the gap) of each gap's late part inside the span."""
    parts = []
    for fired, gap in overlapping(gaps, start, end):
        first, last = max(start, fired - max(0, gap - floor)), min(end, fired)
        if first < last:
            parts.append((first, last, fired))
    return parts


def late_share(gaps: Sequence[Gap], start: int, end: int, floor: int) -> Fraction:
    late = sum(last - first for first, last, _ in late_parts(gaps, start, end, floor))
    return Fraction(late, covered(gaps, start, end))


def share_waiting_at_most(gaps: Sequence[Gap], start: int, end: int, floor: int, wait: Fraction) -> Fraction:
    """P(wait ≤ x): of all instants of the covered span, those that wait no longer."""
    total = Fraction(covered(gaps, start, end))
    longer = Fraction(0)
    for first, last, fired in late_parts(gaps, start, end, floor):
        longer += max(Fraction(0), min(Fraction(last), fired - wait) - first)
    return (total - longer) / total


def mean_wait(gaps: Sequence[Gap], start: int, end: int, floor: int) -> Fraction:
    total = Fraction(0)
    for first, last, fired in late_parts(gaps, start, end, floor):
        total += Fraction((fired - first) ** 2 - (fired - last) ** 2, 2)
    return total / covered(gaps, start, end)


def latency_quantile(outcomes: Sequence[tuple[str, int]], percent: Fraction) -> int | None:
    """`outcomes` are ("ok" | "timeout", value) or ("failed", 0); the failed rank last without a value."""
    with_value = sorted(value for kind, value in outcomes if kind != "failed")
    rank = max(1, ceil(percent / 100 * len(outcomes)))
    return with_value[rank - 1] if rank <= len(with_value) else None
