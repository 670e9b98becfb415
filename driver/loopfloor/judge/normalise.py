"""Samples and requests to figures: floors, lateness, waits and quantiles. The formulas of METHOD.md.

All arguments and results are in ns unless a name says otherwise. None means that there is nothing to
say, never 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loopfloor.model import Counters, Fate, Int64s, Requests, Samples
from loopfloor.units import NS_PER_S

Floats = NDArray[np.float64]

FEWEST_FOR_P99 = 100  # below it, nearest rank makes p99 the maximum
FEWEST_FOR_P999 = 1000


def find_quantile(ascending: Int64s | Floats, percent: float) -> float | None:
    """Return the nearest-rank quantile: the ⌈p/100·n⌉-th smallest. None of nothing."""
    if len(ascending) == 0:
        return None
    return float(ascending[find_rank(len(ascending), percent) - 1])


def find_rank(count: int, percent: float) -> int:
    """Return ⌈p/100·n⌉, at least 1. In integers: 99.9/100·1000 is 999, not 1000, whatever floats say."""
    per_mille = round(percent * 10)
    return max(1, -(-per_mille * count // 1000))


@dataclass(frozen=True)
class Span:
    """From `start_ns` to `end_ns` on the driver's axis."""

    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class GapFigures:
    """The raw reading, the interval included: what a dashboard would show.

    Over every gap that overlaps the span; `firings` counts those that ended inside it. `firings` 0 is
    a stalled loop.
    """

    count: int
    firings: int
    min: float
    mean: float
    p50: float
    p99: float
    max: float


def read_gaps(samples: Samples, span: Span) -> GapFigures | None:
    """None where no gap overlaps the span."""
    gaps = np.sort(samples.gap_ns[overlaps(samples, span)])
    if len(gaps) == 0:
        return None
    fired = (samples.fired_at_ns > span.start_ns) & (samples.fired_at_ns <= span.end_ns)
    return GapFigures(
        count=len(gaps),
        firings=int(fired.sum()),
        min=float(gaps[0]),
        mean=float(gaps.mean()),
        p50=float(gaps[find_rank(len(gaps), 50) - 1]),
        p99=float(gaps[find_rank(len(gaps), 99) - 1]),
        max=float(gaps[-1]),
    )


def overlaps(samples: Samples, span: Span) -> NDArray[np.bool_]:
    return (samples.fired_at_ns > span.start_ns) & (samples.fired_at_ns - samples.gap_ns < span.end_ns)


@dataclass(frozen=True)
class WaitFigures:
    """How long a callback that becomes due at a random instant of the span waits: a lower bound.

    Inside the first floor p50 of a gap the loop may have been busy unseen, so the true wait lies
    between each figure and the same plus floor p50.
    """

    mean: float
    p50: float
    p90: float
    p99: float
    max: float


@dataclass(frozen=True)
class Lateness:
    """lag_i = max(0, d_i − floor p50), and what follows from it. Shares are of the covered part of the span."""

    negative_count: int  # gaps below floor p50, clamped in `lag`
    late_share: float
    over_budget_count: int
    over_budget_share: float  # of random instants: how many would wait longer than the budget
    wait: WaitFigures


def read_lateness(samples: Samples, span: Span, floor_p50_ns: float, budget_ns: float) -> Lateness | None:
    """None where no gap overlaps the span."""
    inside = overlaps(samples, span)
    ends, gaps = samples.fired_at_ns[inside], samples.gap_ns[inside]
    if len(gaps) == 0:
        return None
    lags = np.maximum(0.0, gaps - floor_p50_ns)
    covered_ns = float((np.minimum(span.end_ns, ends) - np.maximum(span.start_ns, ends - gaps)).sum())
    # An instant w before its gap's end waits w, if w < lag. Only the instants inside the span count:
    # of the late part of gap i, those that wait between low_i and high_i.
    low = np.maximum(0.0, ends - span.end_ns)
    high = np.maximum(low, np.minimum(lags, ends - span.start_ns))
    return Lateness(
        negative_count=int((gaps < floor_p50_ns).sum()),
        late_share=float((high - low).sum() / covered_ns),
        over_budget_count=int((lags > budget_ns).sum()),
        over_budget_share=float(np.maximum(0.0, high - np.maximum(low, budget_ns)).sum() / covered_ns),
        wait=read_wait(low, high, covered_ns),
    )


def read_wait(low: Floats, high: Floats, covered_ns: float) -> WaitFigures:
    """P(wait ≤ x) = (T − Σ(high−low) + Σ(clip(x, low, high) − low)) / T; a quantile is the smallest x with P ≥ p.

    With whole gaps (low 0, high lag) this is (Σ(d_i − lag_i) + Σ min(lag_i, x)) / T, and the mean Σ lag_i² / 2T.
    """
    # P is piecewise linear: its slope rises by 1/T at each low and falls by 1/T at each high.
    turns = np.concatenate([low, high])
    steps = np.concatenate([np.ones_like(low), -np.ones_like(high)])
    order = np.argsort(turns, kind="stable")
    turns, slopes = turns[order], np.cumsum(steps[order])
    on_time_ns = covered_ns - float((high - low).sum())
    reached_ns = on_time_ns + np.concatenate([[0.0], np.cumsum(slopes[:-1] * np.diff(turns))])

    def find(share: float) -> float:
        wanted_ns = share * covered_ns
        if on_time_ns >= wanted_ns:
            return 0.0
        index = min(int(np.searchsorted(reached_ns, wanted_ns, side="left")), len(turns) - 1)
        slope = slopes[index - 1]
        return (
            float(turns[index - 1] + (wanted_ns - reached_ns[index - 1]) / slope) if slope > 0 else float(turns[index])
        )

    return WaitFigures(
        mean=float(((high - low) * (high + low)).sum() / 2 / covered_ns),
        p50=find(0.50),
        p90=find(0.90),
        p99=find(0.99),
        max=float(high[high > low].max(initial=0)),
    )


@dataclass(frozen=True)
class Tally:
    """What became of the requests: intended is the sum of the rest."""

    intended: int
    ok: int
    http_error: int
    timeout: int
    conn_error: int
    skipped: int
    unfinished: int


def tally_fates(requests: Requests) -> Tally:
    """Count every request under exactly one fate. Raises ValueError where one has none."""
    counts = (
        np.bincount(requests.fate, minlength=len(Fate)) if (requests.fate >= 0).all() else np.zeros(0, dtype=np.int64)
    )
    if len(counts) != len(Fate) or counts.sum() != len(requests):
        raise ValueError("the sum rule is broken: some request is not accounted for")
    return Tally(len(requests), *(int(counts[fate]) for fate in Fate))


@dataclass(frozen=True)
class LatencyFigures:
    """Quantiles over all requests, the failed ones included.

    `timeout` and `unfinished` enter at their age, so every quantile at or above the lowest of them is a
    lower bound. The other failures rank last without a value: a figure that lands there is None.
    """

    count: int
    mean: float | None
    p50: float | None
    p90: float | None
    p99: float | None
    p999: float | None
    max: float | None
    lower_bounds: Sequence[str]


QUANTILES = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "p999": 99.9, "max": 100.0}


def read_latency(requests: Requests, since_ns: Int64s) -> LatencyFigures | None:
    """Return the figures of `done − since_ns` (the intended or the actual sends). None of no requests."""
    if len(requests) == 0:
        return None
    ok = requests.fate == Fate.OK
    aged = np.isin(requests.fate, (Fate.TIMEOUT, Fate.UNFINISHED)) & (since_ns > 0) & (requests.done_ns > 0)
    age_ns = requests.done_ns - since_ns
    values = np.where(ok | aged, age_ns, np.inf)
    order = np.lexsort((~ok, values))  # at the same age, an answer ranks before a time-out
    values, bound = values[order], ~ok[order]
    first_bound = int(np.argmax(bound)) + 1 if bound.any() else len(values) + 1
    ranks = {name: find_rank(len(values), percent) for name, percent in QUANTILES.items()}
    quantiles = {name: float(values[rank - 1]) for name, rank in ranks.items()}
    mean = float(values.mean())
    lower_bounds = [name for name, rank in ranks.items() if rank >= first_bound]
    known = {name: value if np.isfinite(value) else None for name, value in (*quantiles.items(), ("mean", mean))}
    if len(values) < FEWEST_FOR_P999:
        known["p999"] = None
    return LatencyFigures(
        count=len(values),
        lower_bounds=(["mean"] if lower_bounds else []) + lower_bounds,
        **known,
    )


def select_requests(requests: Requests, chosen: NDArray[np.bool_]) -> Requests:
    return Requests(
        intended_ns=requests.intended_ns[chosen],
        sent_ns=requests.sent_ns[chosen],
        done_ns=requests.done_ns[chosen],
        status=requests.status[chosen],
        fate=requests.fate[chosen],
        route=requests.route[chosen],
    )


def select_ok(requests: Requests) -> Requests:
    return select_requests(requests, requests.fate == Fate.OK)


def count_per_s(requests: Requests, span: Span) -> float:
    """Return the answers of status 2xx that arrived within the span, per second."""
    ok = (requests.fate == Fate.OK) & (requests.done_ns > span.start_ns) & (requests.done_ns <= span.end_ns)
    return float(ok.sum()) * NS_PER_S / (span.end_ns - span.start_ns)


@dataclass(frozen=True)
class BusyFigures:
    """Shares of the time between the two counter readings, which also spans the drain."""

    busy: float | None
    source: str | None
    thread_cpu_share: float | None
    wall_ns: int


def read_busy(before: Counters, after: Counters, source: str | None) -> BusyFigures:
    """The loop's own meter where it has one; else the CPU share of its thread."""
    wall_ns = after.now_ns - before.now_ns
    wall_s = wall_ns / NS_PER_S
    thread = share_of(before.thread_cpu_s, after.thread_cpu_s, wall_s)
    busy = thread if source == "thread_cpu" else share_of(before.busy_s, after.busy_s, wall_s)
    return BusyFigures(busy, source if busy is not None else None, thread, wall_ns)


def share_of(before_s: float | None, after_s: float | None, wall_s: float) -> float | None:
    if before_s is None or after_s is None or wall_s <= 0:
        return None
    return (after_s - before_s) / wall_s
