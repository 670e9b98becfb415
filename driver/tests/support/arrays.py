"""Short ways to write samples and requests in ms."""

from collections.abc import Sequence

import numpy as np

from loopfloor.judge.normalise import Span
from loopfloor.model import Fate, Requests, Samples
from loopfloor.units import NS_PER_MS

START_NS = 1_000_000_000_000


def make_samples(gaps_ms: Sequence[float]) -> Samples:
    """Return back-to-back gaps, the first beginning at START_NS."""
    gaps_ns = np.rint(np.array(gaps_ms, dtype=float) * NS_PER_MS).astype(np.int64)
    return Samples(fired_at_ns=START_NS + np.cumsum(gaps_ns), gap_ns=gaps_ns)


def make_span(from_ms: float, to_ms: float) -> Span:
    return Span(START_NS + round(from_ms * NS_PER_MS), START_NS + round(to_ms * NS_PER_MS))


def whole_span(samples: Samples) -> Span:
    return Span(int(samples.fired_at_ns[0] - samples.gap_ns[0]), int(samples.fired_at_ns[-1]))


def make_requests(rows: Sequence[tuple[float, float | None, float | None, int, Fate]]) -> Requests:
    """Return requests from (intended, sent, done, status, fate) rows, times in ms from START_NS."""

    def at(times_ms: Sequence[float | None]) -> np.ndarray:
        return np.array([0 if ms is None else START_NS + round(ms * NS_PER_MS) for ms in times_ms], dtype=np.int64)

    intended, sent, done, status, fate = zip(*rows, strict=True)
    return Requests(
        at(intended),
        at(sent),
        at(done),
        np.array(status, dtype=np.int16),
        np.array(fate, dtype=np.int8),
        np.zeros(len(rows), dtype=np.int8),
    )


def make_answered(latencies_ms: Sequence[float]) -> Requests:
    """Return ok requests sent when intended, 1 ms apart."""
    return make_requests([(n, n, n + latency, 200, Fate.OK) for n, latency in enumerate(latencies_ms)])
