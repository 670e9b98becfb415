"""Each scenario's settings, and the cases that it is made of. Durations in s, intervals in ms, rates per s."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Self

from pydantic import Field, model_validator

from loopfloor.model import Admission, ClosedLoad, Frozen, Idle, Load, OpenLoad, Send, TimedLoad

Seconds = Annotated[float, Field(gt=0, le=3600)]
RatePerS = Annotated[float, Field(gt=0, le=100_000)]
BlockMs = Annotated[int, Field(ge=1, le=10_000)]
IntervalMs = Annotated[int, Field(ge=1, le=1000)]
Connections = Annotated[int, Field(ge=1, le=1024)]
Route = Annotated[str, Field(pattern=r"^/[!-~]{0,59}$")]

SHOT_SETTLE_S = 0.15  # before each shot, so that the loop is idle again
WORK_CPU_MS = 2
WORK_IO_MS = 10
BURST_AT_S = 0.3
DOORS = {
    "open": None,
    "window": Admission(enabled=True, lag_p99_ms=200, busy=0.9),
    "now": Admission(enabled=True, lag_now_ms=0),
}
WORK = f"/work?cpu_ms={WORK_CPU_MS}&io_ms={WORK_IO_MS}"


@dataclass(frozen=True)
class Case:
    """One trial's worth of a scenario; the same on every target and in every round."""

    name: str
    interval_ms: int
    load: Load
    admission: Admission | None = None
    instance: int | None = None


class FloorPlan(Frozen):
    """Idle at each interval, then harmless traffic at the loads' interval."""

    intervals_ms: tuple[IntervalMs, ...] = Field(min_length=1)
    idle_s: Seconds
    traffic_s: Seconds
    traffic_per_s: RatePerS

    def list_cases(self, interval_ms: int, _seed: int) -> Iterator[Case]:
        for floor_interval_ms in self.intervals_ms:
            yield Case(f"idle-{floor_interval_ms}ms", floor_interval_ms, Idle(duration_s=self.idle_s))
        traffic = OpenLoad(route="/noop", rate_per_s=self.traffic_per_s, duration_s=self.traffic_s)
        yield Case("traffic", interval_ms, traffic)


class CalibrationPlan(Frozen):
    """Single blocks of known length on an idle loop, each at a random phase of the ruler."""

    blocks_ms: tuple[BlockMs, ...] = Field(min_length=1)
    shots: Annotated[int, Field(ge=1, le=100)]

    def list_cases(self, interval_ms: int, _seed: int) -> Iterator[Case]:
        for block_ms in self.blocks_ms:
            yield Case(f"block-{block_ms}ms", interval_ms, self._time_shots(block_ms, interval_ms))

    def _time_shots(self, block_ms: int, interval_ms: int) -> TimedLoad:
        """The driver's clock and the ruler's have no phase in common; the random part keeps it so within a trial."""
        phases = random.Random(block_ms)
        step_s = SHOT_SETTLE_S + (block_ms + interval_ms) / 1e3
        sends = tuple(
            Send(
                at_s=SHOT_SETTLE_S + shot * step_s + phases.uniform(0, interval_ms / 1e3), route=f"/block?ms={block_ms}"
            )
            for shot in range(self.shots)
        )
        return TimedLoad(sends=sends, duration_s=SHOT_SETTLE_S + self.shots * step_s)


class PairCell(Frozen):
    """One closed-loop run, the loop's delay beside it."""

    route: Route
    connections: Connections
    duration_s: Seconds


class PairPlan(Frozen):
    """The closed-loop runs, in order."""

    cells: tuple[PairCell, ...] = Field(min_length=1)

    def list_cases(self, interval_ms: int, _seed: int) -> Iterator[Case]:
        for cell in self.cells:
            load = ClosedLoad(route=cell.route, connections=cell.connections, duration_s=cell.duration_s)
            yield Case(f"{name_route(cell.route)}-x{cell.connections}", interval_ms, load)


class RampPlan(Frozen):
    """A fixed rate at a route whose blocking grows 1 ms a second."""

    rate_per_s: RatePerS
    duration_s: Annotated[int, Field(ge=2, le=60)]

    def list_cases(self, interval_ms: int, _seed: int) -> Iterator[Case]:
        load = OpenLoad(route="/ramp", rate_per_s=self.rate_per_s, duration_s=self.duration_s, prelude="/ramp-reset")
        yield Case("ramp", interval_ms, load)


class BurstPlan(Frozen):
    """A few requests at once, one of which blocks."""

    requests: Annotated[int, Field(ge=2, le=100)]
    blocker: Annotated[int, Field(ge=1, le=100)]  # which of them, from 1
    block_ms: BlockMs

    def list_cases(self, interval_ms: int, _seed: int) -> Iterator[Case]:
        routes = ["/noop"] * self.requests
        routes[self.blocker - 1] = f"/block?ms={self.block_ms}"
        sends = tuple(Send(at_s=BURST_AT_S, route=route) for route in routes)
        duration_s = 2 * BURST_AT_S + self.block_ms / 1e3
        load = TimedLoad(sends=sends, duration_s=duration_s, connections=self.requests)
        yield Case(f"block-{self.block_ms}ms", interval_ms, load)

    @model_validator(mode="after")
    def check_blocker(self) -> Self:
        if self.blocker > self.requests:
            raise ValueError(f"blocker: {self.blocker} is not one of {self.requests} requests")
        return self


class SaturationPlan(Frozen):
    """Poisson arrivals at `/work`, at one rate after the other, up to past capacity."""

    rates_per_s: tuple[RatePerS, ...] = Field(min_length=1, max_length=30)
    duration_s: Seconds

    def list_cases(self, interval_ms: int, seed: int) -> Iterator[Case]:
        for rate_per_s in self.rates_per_s:
            load = OpenLoad(
                route=WORK, rate_per_s=rate_per_s, duration_s=self.duration_s, arrivals="poisson", seed=seed
            )
            yield Case(f"work-{rate_per_s:g}-per-s".replace(".", "-"), interval_ms, load)


class StallPlan(Frozen):
    """A moderate load, without and with one block in the middle."""

    rate_per_s: RatePerS
    duration_s: Seconds
    block_ms: BlockMs

    def list_cases(self, interval_ms: int, _seed: int) -> Iterator[Case]:
        block = Send(at_s=self.duration_s / 2, route=f"/block?ms={self.block_ms}")
        for name, extra in (("without", ()), (f"with-{self.block_ms}ms", (block,))):
            load = OpenLoad(route=WORK, rate_per_s=self.rate_per_s, duration_s=self.duration_s, extra=extra)
            yield Case(name, interval_ms, load)


class ShedPlan(Frozen):
    """`/work` far past capacity behind three doors, with what it is to be read against before them."""

    light_per_s: RatePerS
    light_s: Seconds
    capacity_connections: Connections
    capacity_s: Seconds
    rate_per_s: RatePerS
    duration_s: Seconds

    def list_cases(self, interval_ms: int, seed: int) -> Iterator[Case]:
        light = OpenLoad(route=WORK, rate_per_s=self.light_per_s, duration_s=self.light_s)
        yield Case("light", interval_ms, light)
        full = ClosedLoad(route=WORK, connections=self.capacity_connections, duration_s=self.capacity_s)
        yield Case("capacity", interval_ms, full)
        for name, admission in DOORS.items():
            load = OpenLoad(
                route=WORK, rate_per_s=self.rate_per_s, duration_s=self.duration_s, arrivals="poisson", seed=seed
            )
            yield Case(name, interval_ms, load, admission)


class InstancesPlan(Frozen):
    """Instances of each target under equal load at the same time, one of them with a blocking call."""

    count: Annotated[int, Field(ge=3, le=8)]
    rate_per_s: RatePerS
    duration_s: Seconds
    bad_instance: Annotated[int, Field(ge=1, le=8)]
    block_ms: BlockMs
    block_every_s: Seconds

    def list_cases(self, interval_ms: int, seed: int) -> Iterator[Case]:
        blocks = tuple(
            Send(at_s=(number + 0.5) * self.block_every_s, route=f"/block?ms={self.block_ms}")
            for number in range(int(self.duration_s / self.block_every_s))
        )
        for instance in range(1, self.count + 1):
            extra = blocks if instance == self.bad_instance else ()
            # Random arrivals, or the generators of all instances would send at the same instants.
            load = OpenLoad(
                route=WORK,
                rate_per_s=self.rate_per_s,
                duration_s=self.duration_s,
                arrivals="poisson",
                seed=seed + instance,
                extra=extra,
            )
            yield Case(f"instance-{instance}", interval_ms, load, instance=instance)

    @model_validator(mode="after")
    def check_bad_instance(self) -> Self:
        if self.bad_instance > self.count:
            raise ValueError(f"bad_instance: {self.bad_instance} is not one of {self.count}")
        return self


def name_route(route: str) -> str:
    """Return a route as a word for file names: `/block?ms=30` → `block-ms-30`."""
    return "".join(letter if letter.isalnum() else "-" for letter in route).strip("-") or "root"
