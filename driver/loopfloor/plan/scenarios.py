"""Each scenario's settings, and the cases that it is made of. Durations in s, intervals in ms, rates per s."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from loopfloor.model import ClosedLoad, Frozen, Idle, Load, OpenLoad, Send, TimedLoad

Seconds = Annotated[float, Field(gt=0, le=3600)]
RatePerS = Annotated[float, Field(gt=0, le=100_000)]
IntervalMs = Annotated[int, Field(ge=1, le=1000)]
Connections = Annotated[int, Field(ge=1, le=1024)]
Route = Annotated[str, Field(pattern=r"^/[!-~]{0,59}$")]

SHOT_SETTLE_S = 0.15  # before each shot, so that the loop is idle again


@dataclass(frozen=True)
class Case:
    """One trial's worth of a scenario; the same on every target and in every round."""

    name: str
    interval_ms: int
    load: Load


class FloorPlan(Frozen):
    """Idle at each interval, then harmless traffic at the loads' interval."""

    intervals_ms: tuple[IntervalMs, ...] = Field(min_length=1)
    idle_s: Seconds
    traffic_s: Seconds
    traffic_per_s: RatePerS

    def list_cases(self, interval_ms: int) -> Iterator[Case]:
        for floor_interval_ms in self.intervals_ms:
            yield Case(f"idle-{floor_interval_ms}ms", floor_interval_ms, Idle(duration_s=self.idle_s))
        traffic = OpenLoad(route="/noop", rate_per_s=self.traffic_per_s, duration_s=self.traffic_s)
        yield Case("traffic", interval_ms, traffic)


class CalibrationPlan(Frozen):
    """Single blocks of known length on an idle loop, each at a random phase of the ruler."""

    blocks_ms: tuple[Annotated[int, Field(ge=1, le=10_000)], ...] = Field(min_length=1)
    shots: Annotated[int, Field(ge=1, le=100)]

    def list_cases(self, interval_ms: int) -> Iterator[Case]:
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

    def list_cases(self, interval_ms: int) -> Iterator[Case]:
        for cell in self.cells:
            load = ClosedLoad(route=cell.route, connections=cell.connections, duration_s=cell.duration_s)
            yield Case(f"{name_route(cell.route)}-x{cell.connections}", interval_ms, load)


class RampPlan(Frozen):
    """A fixed rate at a route whose blocking grows 1 ms a second."""

    rate_per_s: RatePerS
    duration_s: Annotated[int, Field(ge=2, le=60)]

    def list_cases(self, interval_ms: int) -> Iterator[Case]:
        load = OpenLoad(route="/ramp", rate_per_s=self.rate_per_s, duration_s=self.duration_s, prelude="/ramp-reset")
        yield Case("ramp", interval_ms, load)


def name_route(route: str) -> str:
    """Return a route as a word for file names: `/block?ms=30` → `block-ms-30`."""
    return "".join(letter if letter.isalnum() else "-" for letter in route).strip("-") or "root"
