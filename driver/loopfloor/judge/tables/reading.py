"""What a table is made from: trials with their raw readings, and the floors to read them against."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from loopfloor.judge.normalise import GapFigures, LatencyFigures, Span, read_gaps, read_latency, read_lateness
from loopfloor.model import Requests, Samples, TrialRecord, Window
from loopfloor.plan import Plan

Value = str | int | float | None
Row = dict[str, Value]


@dataclass(frozen=True)
class Reading:
    """A finished trial and its raw files; requests are empty for an idle trial."""

    record: TrialRecord
    window: Window
    samples: Samples
    requests: Requests

    @property
    def span(self) -> Span:
        return Span(self.window.start_ns, self.window.end_ns)


@dataclass(frozen=True)
class Floor:
    """One floor of one target in one round."""

    gaps: GapFigures
    late_share: float
    latency: LatencyFigures | None


@dataclass(frozen=True)
class Floors:
    """The floors of a run, by round and target: idle by interval, and under harmless traffic."""

    idle: Mapping[tuple[int, str, int], Floor]
    traffic: Mapping[tuple[int, str], Floor]
    noop_latency: Mapping[tuple[int, str], LatencyFigures]

    def find_idle(self, record: TrialRecord) -> Floor | None:
        trial = record.trial
        return self.idle.get((trial.round, trial.target, trial.interval_ms))

    def find_traffic(self, record: TrialRecord) -> Floor | None:
        return self.traffic.get((record.trial.round, record.trial.target))

    def find_noop(self, record: TrialRecord) -> LatencyFigures | None:
        return self.noop_latency.get((record.trial.round, record.trial.target))


@dataclass(frozen=True)
class Context:
    """What a row needs beyond its own trial."""

    run_id: str
    plan: Plan
    floors: Floors
    one_core: bool  # a target has one core for its loop and its pool


NOOP_CASE = "noop-x1"


def find_floors(records: Iterable[TrialRecord], read: Callable[[TrialRecord], Reading]) -> Floors:
    """Read the floors of a run: one per round, target and interval, the traffic floor, and the `/noop` × 1 latency."""
    idle: dict[tuple[int, str, int], Floor] = {}
    traffic: dict[tuple[int, str], Floor] = {}
    noop: dict[tuple[int, str], LatencyFigures] = {}
    for record in records:
        trial = record.trial
        if record.status != "ok":
            continue
        if trial.scenario == "floor":
            floor = read_floor(read(record))
            if floor is not None and trial.load.kind == "idle":
                idle[trial.round, trial.target, trial.interval_ms] = floor
            elif floor is not None:
                traffic[trial.round, trial.target] = floor
        elif trial.scenario == "pair" and trial.case == NOOP_CASE:
            requests = read(record).requests
            latency = read_latency(requests, requests.sent_ns)
            if latency is not None:
                noop[trial.round, trial.target] = latency
    return Floors(idle, traffic, noop)


def read_floor(reading: Reading) -> Floor | None:
    """Return a floor with the late share that it reads against its own p50. None without samples."""
    gaps = read_gaps(reading.samples, reading.span)
    if gaps is None:
        return None
    lateness = read_lateness(reading.samples, reading.span, gaps.p50, budget_ns=0)
    assert lateness is not None
    latency = read_latency(reading.requests, reading.requests.intended_ns)
    return Floor(gaps, lateness.late_share, latency)
