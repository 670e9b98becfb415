"""What a table is made from: trials with their raw readings, and the floors to read them against."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from loopfloor.judge.normalise import (
    GapFigures,
    LatencyFigures,
    Span,
    read_busy,
    read_gaps,
    read_latency,
    read_lateness,
)
from loopfloor.judge.selftest import CarriedLoads
from loopfloor.model import Fate, Idle, Requests, Samples, TrialRecord, Window
from loopfloor.plan import Plan

Value = str | int | float | None
Row = dict[str, Value]


def read_number(row: Row, name: str) -> float | None:
    value = row.get(name)
    return value if isinstance(value, int | float) else None


def divide(value: float | None, base: float | None) -> float | None:
    return None if value is None or not base else value / base


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
    """One floor of one target in one round, and the process that it was measured on."""

    gaps: GapFigures
    late_share: float
    process: int
    busy: float | None


@dataclass(frozen=True)
class Floors:
    """The floors of a run, by round and target: idle by interval, and under harmless traffic."""

    idle: dict[tuple[int, str, int], Floor]
    traffic: dict[tuple[int, str], Floor]
    noop_latency: dict[tuple[int, str], LatencyFigures]

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
    one_core: Collection[str]  # the targets that have one core for their loop and their pool
    carried: CarriedLoads


NOOP_CASE = "noop-x1"


def find_floors(records: Iterable[TrialRecord], read: Callable[[TrialRecord], Reading]) -> Floors:
    """Read the floors of a run: idle by round, target and interval, under traffic, and the `/noop` × 1 latency.

    Of a target measured twice a round, the first. A trial that failed, or some of whose requests did, is no floor.
    """
    floors = Floors({}, {}, {})
    for record in records:
        trial = record.trial
        if record.status != "ok" or trial.repeat > 1:
            continue
        if trial.scenario == "floor":
            add_floor(floors, read(record))
        elif trial.scenario == "pair" and trial.case == NOOP_CASE:
            requests = read(record).requests
            latency = read_latency(requests, requests.sent_ns)
            if latency is not None:
                floors.noop_latency[trial.round, trial.target] = latency
    return floors


def add_floor(floors: Floors, reading: Reading) -> None:
    """Both floors' late shares are against the idle p50, so that they stand beside those of the loads."""
    record = reading.record
    trial, gaps = record.trial, read_gaps(reading.samples, reading.span)
    if gaps is None or (reading.requests.fate != Fate.OK).any():
        return
    is_idle = isinstance(trial.load, Idle)
    idle = gaps if is_idle else getattr(floors.find_idle(record), "gaps", None)
    if idle is None:
        return
    lateness = read_lateness(reading.samples, reading.span, idle.p50, budget_ns=0)
    assert lateness is not None
    busy = read_busy(record.before, record.after, record.busy_source) if record.before and record.after else None
    floor = Floor(gaps, lateness.late_share, record.process, busy.busy if busy else None)
    if is_idle:
        floors.idle[trial.round, trial.target, trial.interval_ms] = floor
    else:
        floors.traffic[trial.round, trial.target] = floor
