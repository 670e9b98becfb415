"""What is doubtful about a figure, and what to do about it. Thresholds are shares and multiples."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loopfloor.judge.generator import GeneratorFigures
from loopfloor.judge.normalise import FEWEST_FOR_P99, GapFigures, LatencyFigures, Tally
from loopfloor.units import NS_PER_MS

GENERATOR_BUSY_LIMIT = 0.9
LATE_SHARE_OF_LATENCY = 0.1
CLAIM_NOTHING_UNDER_NS = float(NS_PER_MS)  # libuv fires up to 1 ms early, asyncio rounds up to whole ms
ACHIEVED_LIMIT = 0.98


@dataclass(frozen=True)
class Doubt:
    """A reservation that travels with a row: a code, a sentence, and the next step."""

    code: str
    sentence: str
    next_step: str


DOUBTS = {
    doubt.code: doubt
    for doubt in (
        Doubt(
            "few_samples",
            "There are fewer than 100 samples or requests, so p99 is the maximum.",
            "Measure longer; on a blocked loop, read the wait instead.",
        ),
        Doubt(
            "stalled",
            "The ruler did not fire once in this span: the loop was held throughout.",
            "Read the neighbouring rows and the maximum; there is no delay to average.",
        ),
        Doubt(
            "generator_limited",
            "The load generator was busy or late itself, so rates read 'at least' and latencies 'at most'.",
            "Give the driver a core of its own, or lower the load.",
        ),
        Doubt(
            "failures",
            "Some requests were answered with an error or lost their connection.",
            "Read the counts and latency_ok beside the latency.",
        ),
        Doubt(
            "censored",
            "Some requests ended without an answer, so the figures named in lower_bounds are at least that.",
            "Raise the time-out or lower the load.",
        ),
        Doubt(
            "no_floor",
            "The target's idle floor was not measured in this round, so nothing can be read against it.",
            "Run the floor scenario too.",
        ),
        Doubt(
            "samples_lost",
            "The ruler's ring was overwritten before it was read.",
            "Measure shorter, or at a longer interval.",
        ),
        Doubt(
            "pool_shares_core",
            "The hash pool runs on the loop's own core: it raises delay and utilisation without holding the loop.",
            "Give the target a second core before judging this route by its delay.",
        ),
    )
}


def doubt_samples(gaps: GapFigures | None, dropped: int | None) -> Iterator[str]:
    if gaps is not None and gaps.firings == 0:
        yield "stalled"
    if gaps is None or gaps.count < FEWEST_FOR_P99:
        yield "few_samples"
    if dropped:
        yield "samples_lost"


def doubt_requests(tally: Tally, latency: LatencyFigures | None) -> Iterator[str]:
    if latency is None or latency.count < FEWEST_FOR_P99:
        yield "few_samples"
    if tally.http_error or tally.conn_error:
        yield "failures"
    if latency is not None and latency.lower_bounds:
        yield "censored"


def doubt_generator(figures: GeneratorFigures, latency: LatencyFigures | None) -> Iterator[str]:
    """Lateness of its own spoils a latency where it is a tenth of it at the same quantile, and over 1 ms."""
    late = latency is not None and (
        is_spoilt(figures.late_p50, latency.p50) or is_spoilt(figures.late_p99, latency.p99)
    )
    behind = figures.achieved_share is not None and figures.achieved_share < ACHIEVED_LIMIT
    if late or behind or figures.busy > GENERATOR_BUSY_LIMIT:
        yield "generator_limited"


def is_spoilt(late_ns: float | None, latency_ns: float | None) -> bool:
    if late_ns is None:
        return False
    return late_ns > max(CLAIM_NOTHING_UNDER_NS, LATE_SHARE_OF_LATENCY * (latency_ns or 0))


def join_doubts(codes: Sequence[str]) -> str:
    """Return the codes in the order of the table above, each once, `;` between them."""
    return ";".join(code for code in DOUBTS if code in codes)
