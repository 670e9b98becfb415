"""What to measure, in which order: the plan, its faults, and the trials that follow from it.

Owns `plans/*.toml` and their schema. Knows no clock and no socket; reads one file.
"""

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, ValidationError, model_validator

from loopfloor.errors import UsageError
from loopfloor.model import ClosedLoad, Frozen, Idle, Load, Name, OpenLoad, Trial

PLANS = Path(__file__).parent / "plans"
SCENARIOS = ("floor", "pair", "ramp")

Seconds = Annotated[float, Field(gt=0, le=3600)]
RatePerS = Annotated[float, Field(gt=0, le=100_000)]
IntervalMs = Annotated[int, Field(ge=1, le=1000)]
Connections = Annotated[int, Field(ge=1, le=1024)]
Route = Annotated[str, Field(pattern=r"^/[!-~]*$")]


class FloorPlan(Frozen):
    """Idle at each interval, then harmless traffic at the load's interval."""

    intervals_ms: tuple[IntervalMs, ...] = Field(min_length=1)
    idle_s: Seconds
    traffic_s: Seconds
    traffic_per_s: RatePerS


class PairCell(Frozen):
    """One closed-loop run, the loop's delay beside it."""

    route: Route
    connections: Connections
    duration_s: Seconds


class PairPlan(Frozen):
    """The closed-loop runs, in order."""

    cells: tuple[PairCell, ...] = Field(min_length=1)


class RampPlan(Frozen):
    """A fixed rate at a route whose blocking grows 1 ms a second."""

    rate_per_s: RatePerS
    duration_s: Annotated[int, Field(ge=2, le=60)]


class Plan(Frozen):
    """A whole campaign. Durations in s, intervals and budgets in ms, rates per s."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,30}$")]
    rounds: Annotated[int, Field(ge=1, le=100)]
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 1
    targets: tuple[Name, ...] = Field(min_length=1)
    interval_ms: IntervalMs = 10
    warm_up_s: Annotated[float, Field(ge=0, le=600)]
    budget_ms: Annotated[float, Field(gt=0, le=10_000)] = 50
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 15
    max_in_flight: Annotated[int, Field(ge=1, le=4096)] = 1024
    ready_within_s: Seconds = 30
    floor: FloorPlan
    pair: PairPlan | None = None
    ramp: RampPlan | None = None

    @model_validator(mode="after")
    def check_whole(self) -> Self:
        if len(set(self.targets)) < len(self.targets):
            raise ValueError("targets: each name may stand there once")
        if self.interval_ms not in self.floor.intervals_ms:
            raise ValueError(f"floor.intervals_ms: has to hold interval_ms ({self.interval_ms}), the loads' own floor")
        return self

    def order_trials(self) -> Iterator[Trial]:
        """Yield the trials in the order of work: rounds, the targets rotated, the scenarios in turn."""
        for round_index in range(self.rounds):
            shift = round_index % len(self.targets)
            for target in self.targets[shift:] + self.targets[:shift]:
                yield from self._order_target(round_index + 1, target)

    def _order_target(self, round_number: int, target: str) -> Iterator[Trial]:
        for scenario, case, interval_ms, load in self._list_cases():
            yield Trial(
                id=f"r{round_number}-{target}-{scenario}-{case}",
                round=round_number,
                target=target,
                scenario=scenario,
                case=case,
                interval_ms=interval_ms,
                load=load,
            )

    def _list_cases(self) -> Iterator[tuple[str, str, int, Load]]:
        for interval_ms in self.floor.intervals_ms:
            yield "floor", f"idle-{interval_ms}ms", interval_ms, Idle(duration_s=self.floor.idle_s)
        traffic = OpenLoad(route="/noop", rate_per_s=self.floor.traffic_per_s, duration_s=self.floor.traffic_s)
        yield "floor", "traffic", self.interval_ms, traffic
        for cell in self.pair.cells if self.pair else ():
            load = ClosedLoad(route=cell.route, connections=cell.connections, duration_s=cell.duration_s)
            yield "pair", f"{name_route(cell.route)}-x{cell.connections}", self.interval_ms, load
        if self.ramp:
            ramp = OpenLoad(
                route="/ramp", rate_per_s=self.ramp.rate_per_s, duration_s=self.ramp.duration_s, prelude="/ramp-reset"
            )
            yield "ramp", "ramp", self.interval_ms, ramp


def name_route(route: str) -> str:
    """Return a route as a word for file names: `/block?ms=30` → `block-ms-30`."""
    return "".join(letter if letter.isalnum() else "-" for letter in route).strip("-") or "root"


def load_plan(
    name_or_file: str, targets: Sequence[str] = (), scenarios: Sequence[str] = (), seed: int | None = None
) -> Plan:
    """Read a plan by its built-in name or from a file, narrowed to `targets` and `scenarios`.

    Raises UsageError with every fault that was found, not only the first.
    """
    faults = [
        f"unknown scenario {name!r}; known are {', '.join(SCENARIOS)}" for name in scenarios if name not in SCENARIOS
    ]
    content = read_toml(name_or_file, faults)
    if content is not None:
        content |= {"targets": list(targets)} if targets else {}
        content |= {} if seed is None else {"seed": seed}
        try:
            plan = Plan.model_validate(content)
        except ValidationError as error:
            faults += [describe_fault(fault) for fault in error.errors()]
    if faults:
        raise UsageError(*(f"plan {name_or_file}: {fault}" for fault in faults))
    dropped = {name: None for name in SCENARIOS if scenarios and name not in (*scenarios, "floor")}
    return plan.model_copy(update=dropped)


def read_toml(name_or_file: str, faults: list[str]) -> dict[str, object] | None:
    built_in = PLANS / f"{name_or_file}.toml"
    path = built_in if built_in.is_file() else Path(name_or_file)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        names = ", ".join(sorted(plan.stem for plan in PLANS.glob("*.toml")))
        faults.append(f"cannot be read ({error.strerror}); built in are {names}")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        faults.append(f"is not TOML: {error}")
    return None


def describe_fault(fault: object) -> str:
    assert isinstance(fault, dict)
    place = ".".join(str(part) for part in fault["loc"])
    given = "" if isinstance(fault["input"], dict) else f" (given: {fault['input']!r})"
    return f"{place}: {fault['msg']}{given}" if place else fault["msg"].removeprefix("Value error, ")
