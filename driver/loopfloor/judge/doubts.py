"""What is doubtful about a figure, and what to do about it. Thresholds are shares and multiples."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from loopfloor.judge.generator import GeneratorFigures
from loopfloor.judge.normalise import FEWEST_FOR_P99, GapFigures, LatencyFigures, Tally
from loopfloor.model import TrialRecord, Usage
from loopfloor.units import NS_PER_MS, NS_PER_S

GENERATOR_BUSY_LIMIT = 0.9
LATE_SHARE_OF_LATENCY = 0.1
CLAIM_NOTHING_UNDER_NS = float(NS_PER_MS)  # libuv fires up to 1 ms early, asyncio rounds up to whole ms
DISTURBED_SHARE = 0.05
INADMISSIBLE = {"throttled", "samples_lost", "no_floor"}


class MeasuredFloor(Protocol):
    """What a doubt needs to know of a floor."""

    @property
    def process(self) -> int: ...


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
            "The load generator was busy or late itself, so its figures read 'at least'.",
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
            "other_process",
            "The target broke and was started again after its floor was measured.",
            "Read the excess with care, or run again.",
        ),
        Doubt(
            "samples_lost",
            "The ruler's ring was overwritten before it was read.",
            "Measure shorter, or at a longer interval.",
        ),
        Doubt(
            "outside_band",
            "The ruler read a known stall outside the band that theory allows.",
            "Run doctor: the machine was disturbed, or the target's clock is not what it seems.",
        ),
        Doubt(
            "throttled",
            "The target's container was held up by its CPU quota, which looks like a slow runtime.",
            "Take the quota away; these figures are not compared.",
        ),
        Doubt(
            "disturbed",
            "Other processes, or the host of this virtual machine, took the loop's core for 5 % of the time or more.",
            "Stop what else runs, or use a quieter machine; the delay is not the runtime's own.",
        ),
        Doubt(
            "not_steady",
            "The median latency changed more than twofold within the trial.",
            "Warm up longer; the first fifth was left out of the figures and is kept in the raw files.",
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


def doubt_floor(record: TrialRecord, floor: MeasuredFloor | None) -> Iterator[str]:
    if floor is None:
        yield "no_floor"
    elif floor.process != record.process:
        yield "other_process"


def doubt_requests(tally: Tally, latency: LatencyFigures | None, shed: int = 0) -> Iterator[str]:
    """What the door refused because it was asked to (`shed`) is an answer, and no failure."""
    if latency is None or latency.count < FEWEST_FOR_P99:
        yield "few_samples"
    if tally.http_error > shed or tally.conn_error:
        yield "failures"
    if latency is not None and latency.lower_bounds and tally.ok + shed < tally.intended:
        yield "censored"


def doubt_conditions(record: TrialRecord, *, pool_shares_core: bool) -> Iterator[str]:
    """A quota or a neighbour looks like a slow runtime. A pool on the loop's own core is no neighbour."""
    before, after = record.usage_before or Usage(), record.usage_after or Usage()
    if grew(before.throttled_periods, after.throttled_periods) > 0:
        yield "throttled"
    wall_s = (record.after.now_ns - record.before.now_ns) / NS_PER_S if record.before and record.after else 0
    delayed = 0 if pool_shares_core else grew(before.run_delay_s, after.run_delay_s)
    if delayed > DISTURBED_SHARE * wall_s or (record.steal_share or 0) > DISTURBED_SHARE:
        yield "disturbed"
    if pool_shares_core:
        yield "pool_shares_core"


def grew(before: float | None, after: float | None) -> float:
    return 0 if before is None or after is None else after - before


def doubt_generator(
    figures: GeneratorFigures, latency: LatencyFigures | None, throttled_periods: int | None, *, carried: bool
) -> Iterator[str]:
    """Lateness of its own spoils a latency where it is a tenth of it at the same quantile, and over 1 ms.

    So does a quota on its container, and a load that it did not carry against the known-delay server.
    """
    late = latency is not None and (
        is_spoilt(figures.late_p50, latency.p50) or is_spoilt(figures.late_p99, latency.p99)
    )
    if late or figures.fell_behind or figures.busy > GENERATOR_BUSY_LIMIT or throttled_periods or not carried:
        yield "generator_limited"


def is_spoilt(late_ns: float | None, latency_ns: float | None) -> bool:
    if late_ns is None:
        return False
    return late_ns > max(CLAIM_NOTHING_UNDER_NS, LATE_SHARE_OF_LATENCY * (latency_ns or 0))


def judge_status(doubts: Sequence[str]) -> str:
    """A row is ok, or its requests failed, or its conditions make it unfit to be compared."""
    if "failures" in doubts:
        return "failures"
    return "inadmissible" if INADMISSIBLE & set(doubts) else "ok"


def join_doubts(codes: Sequence[str]) -> str:
    """Return the codes in the order of the table above, each once, `;` between them."""
    return ";".join(code for code in DOUBTS if code in codes)
