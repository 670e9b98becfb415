"""The types that pass between the rooms: what is to be done, what was read, nothing derived.

Everything here is frozen. Times are monotonic nanoseconds on the driver's axis unless a name says
otherwise; "unknown" is None, never 0.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION = 1

Int64s = NDArray[np.int64]


class Frozen(BaseModel):
    """A value that is written to and read from a run folder; unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Idle(Frozen):
    """No load: the loop is left alone for a while."""

    kind: Literal["idle"] = "idle"
    duration_s: float


class ClosedLoad(Frozen):
    """Each of `connections` users sends, waits for the answer, and sends again."""

    kind: Literal["closed"] = "closed"
    route: str
    connections: int
    duration_s: float
    spread_s: float = 0  # the users start evenly over this time; 0: all at once


class Send(Frozen):
    """One request at its own time."""

    at_s: float
    route: str


class OpenLoad(Frozen):
    """Requests are sent when they are due, whether or not earlier ones were answered."""

    kind: Literal["open"] = "open"
    route: str
    rate_per_s: float
    duration_s: float
    arrivals: Literal["constant", "poisson"] = "constant"
    seed: int = 0
    prelude: str | None = None  # a route called once, just before the first intended send
    extra: tuple[Send, ...] = ()  # sent beside the rest, at times of their own


class TimedLoad(Frozen):
    """Requests at times of their own, sent like those of an open loop."""

    kind: Literal["timed"] = "timed"
    sends: tuple[Send, ...]
    duration_s: float
    connections: int = 1  # open before the start


Load = Annotated[Idle | ClosedLoad | OpenLoad | TimedLoad, Field(discriminator="kind")]


Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,149}$")]  # safe as part of a path


class Admission(Frozen):
    """Load shedding at the target's door: by the last second, or by this instant's lateness. None is off."""

    enabled: bool
    lag_p99_ms: int | None = None
    busy: float | None = None
    lag_now_ms: int | None = None


class Trial(Frozen):
    """One entry of a plan's order of work."""

    id: Name
    round: int
    repeat: int = 1
    target: Name
    scenario: Name
    case: Name
    interval_ms: int
    load: Load
    admission: Admission | None = None  # None leaves the door open
    instance: int | None = None  # which of several instances of the target, under load at the same time

    @property
    def process_name(self) -> str:
        """The name under which the stage starts what this trial measures."""
        return self.target if self.instance in (None, 1) else f"{self.target}-{self.instance}"


class Fate(IntEnum):
    """What became of a request. The sum rule counts every intended request under exactly one."""

    OK = 0
    HTTP_ERROR = 1
    TIMEOUT = 2
    CONN_ERROR = 3
    SKIPPED = 4
    UNFINISHED = 5


@dataclass(frozen=True)
class Requests:
    """Every request of one trial, in the order of the intended sends.

    `sent_ns` and `done_ns` are 0 where `fate` says that there was no send or no end; for a request
    that timed out or was left unfinished, `done_ns` is when it was given up.
    """

    intended_ns: Int64s
    sent_ns: Int64s
    done_ns: Int64s
    status: NDArray[np.int16]  # HTTP status, 0 where there was no answer
    fate: NDArray[np.int8]
    route: NDArray[np.int8]  # which of the load's routes; 0 where there is one

    def __len__(self) -> int:
        return len(self.intended_ns)


@dataclass(frozen=True)
class Samples:
    """Raw readings of the ruler: when it fired, and the gap since it fired before (interval included)."""

    fired_at_ns: Int64s
    gap_ns: Int64s


class Window(Frozen):
    """The span that a trial's figures describe: from the first intended send to the end of sending."""

    start_ns: int
    end_ns: int
    drained_ns: int  # the last request was accounted for


class ClockOffset(Frozen):
    """How far the target's clock is ahead of the driver's, by the exchange with the least round trip."""

    offset_ns: int
    error_ns: int  # half that round trip
    drift_ns: int  # change of the offset over the trial

    @property
    def applied_ns(self) -> int:
        """0 within the error: then the two clocks are one (CLOCK_MONOTONIC of one host)."""
        return 0 if abs(self.offset_ns) <= self.error_ns else self.offset_ns


class Counters(Frozen):
    """A target's cumulative counters at one instant (target clock)."""

    now_ns: int
    thread_cpu_s: float | None
    busy_s: float | None
    gc_count: int | None
    gc_s: float | None
    ctx_switches: int | None


class Usage(Frozen):
    """What a target's process has used since its start; the throttling is its container's. None: unreadable."""

    cpu_s: float | None = None
    memory_peak_bytes: int | None = None
    throttled_periods: int | None = None
    throttled_s: float | None = None
    run_delay_s: float | None = None  # ready to run, but another process had the core


class NativeFigures(Frozen):
    """The runtime's own loop-delay monitor, in ms; a cross-check, no source of figures."""

    count: int
    min: float | None
    mean: float | None
    p50: float | None
    p99: float | None
    max: float | None


class GeneratorReading(Frozen):
    """The generator on itself, over the time in which it sent."""

    cpu_s: float
    wall_s: float
    connections_opened: int
    in_flight_max: int
    timer_late_ns: list[int]  # lateness of a 10 ms timer in the generator's own loop; closed loop only


class Isolation(Frozen):
    """Which cores the driver and the targets were given."""

    mode: Literal["cpuset", "affinity", "shared", "none"]
    driver_cpus: str | None = None
    target_cpus: str | None = None
    reason: str | None = None  # why it is no better


class SelfTestRecord(Frozen):
    """One run of the generator against the known-delay server, before any target is loaded."""

    id: Name
    load: ClosedLoad | OpenLoad
    delay_ms: float
    window: Window
    raw_sha256: str | None = None


class TrialRecord(Frozen):
    """One line of `trials.jsonl`: a trial with what was read beside its raw samples and requests."""

    trial: Trial
    status: Literal["ok", "failed"]
    reason: str | None = None
    started_at: str  # wall clock, for people only
    process: int = 1  # which process of the target, counted within its turn: a broken one is replaced
    window: Window | None = None
    clock: ClockOffset | None = None
    before: Counters | None = None
    after: Counters | None = None
    busy_source: str | None = None
    native: NativeFigures | None = None
    samples_dropped: int | None = None
    generator: GeneratorReading | None = None
    usage_before: Usage | None = None
    usage_after: Usage | None = None
    stalls_before: int | None = None  # by the target's own count, of more than 250 ms
    stalls_after: int | None = None
    generator_throttled_periods: int | None = None
    steal_share: float | None = None  # of the CPU time of this (virtual) machine: what its host gave to others
    raw_sha256: dict[str, str] = Field(default_factory=dict)  # of samples and requests
