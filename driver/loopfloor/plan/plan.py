"""A whole campaign: which scenarios, on which targets, in which order."""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import Field, model_validator

from loopfloor.model import Frozen, Trial
from loopfloor.plan.headlines import Headline
from loopfloor.plan.scenarios import (
    BurstPlan,
    CalibrationPlan,
    Case,
    FloorPlan,
    InstancesPlan,
    IntervalMs,
    PairPlan,
    RampPlan,
    SaturationPlan,
    Seconds,
    ShedPlan,
    StallPlan,
)

SCENARIOS = (
    "floor",
    "calibration",
    "pair",
    "ramp",
    "burst",
    "saturation",
    "stall",
    "shed",
    "instances",
)  # in the order of work
TargetName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,19}$")]
REPEATED = ("floor", "pair", "ramp")  # what is measured again where a plan asks for A/A bands


class Plan(Frozen):
    """Durations in s, intervals and budgets in ms, rates per s."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,30}$")]
    rounds: Annotated[int, Field(ge=1, le=100)]
    repeats: Annotated[int, Field(ge=1, le=2)] = 1  # 2: each target against itself, for the A/A bands
    seed: Annotated[int, Field(ge=0, le=2**32 - 1)] = 1
    targets: tuple[TargetName, ...] = Field(min_length=1)
    aliases: dict[TargetName, TargetName] = Field(
        default_factory=dict
    )  # one more name for a target, to compare it with itself
    interval_ms: IntervalMs = 10
    warm_up_s: Annotated[float, Field(ge=0, le=600)]
    budget_ms: Annotated[float, Field(gt=0, le=10_000)] = 50
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 15
    max_in_flight: Annotated[int, Field(ge=1, le=4096)] = 1024
    ready_within_s: Seconds = 30
    floor: FloorPlan
    calibration: CalibrationPlan | None = None
    pair: PairPlan | None = None
    ramp: RampPlan | None = None
    burst: BurstPlan | None = None
    saturation: SaturationPlan | None = None
    stall: StallPlan | None = None
    shed: ShedPlan | None = None
    instances: InstancesPlan | None = None
    headlines: tuple[Headline, ...] = Field(default=(), max_length=12)

    @model_validator(mode="after")
    def check_whole(self) -> Self:
        faults = [f"targets: {name} stands there twice" for name, count in Counter(self.targets).items() if count > 1]
        if self.interval_ms not in self.floor.intervals_ms:
            faults.append(f"floor.intervals_ms: has to hold interval_ms ({self.interval_ms}), the loads' own floor")
        if self.budget_ms < self.interval_ms:
            faults.append(
                f"budget_ms: {self.budget_ms:g} ms is below the resolution: with interval_ms = {self.interval_ms} a "
                "reading is uncertain by as much; raise the budget or lower interval_ms"
            )
        cases = Counter((scenario, case.name) for scenario, case in self._list_cases(SCENARIOS, 1))
        faults += [f"{scenario}: the case {name} stands there twice" for (scenario, name), n in cases.items() if n > 1]
        if faults:
            raise ValueError("; ".join(faults))
        return self

    def find_target(self, name: str) -> str:
        """Return the target that a name stands for."""
        return self.aliases.get(name, name)

    def order_targets(self, round_number: int) -> tuple[str, ...]:
        """Return the targets rotated by round, then rotated backwards: with three of them, all six orders."""
        shift = (round_number - 1) % len(self.targets)
        forwards = (round_number - 1) // len(self.targets) % 2 == 0
        ordered = self.targets if forwards else self.targets[::-1]
        return ordered[shift:] + ordered[:shift]

    def order_trials(self) -> Iterator[Trial]:
        """Yield the trials in the order of work: rounds, targets, repeats, scenarios."""
        for round_number in range(1, self.rounds + 1):
            for target in self.order_targets(round_number):
                for repeat in range(1, self.repeats + 1):
                    for scenario, case in self._list_cases(SCENARIOS if repeat == 1 else REPEATED, round_number):
                        yield make_trial(round_number, target, repeat, scenario, case)

    def _list_cases(self, scenarios: tuple[str, ...], round_number: int) -> Iterator[tuple[str, Case]]:
        """Random arrivals are the same on every target of a round, and others in the next."""
        seed = self.seed + round_number
        for scenario in scenarios:
            settings = getattr(self, scenario)
            if settings is not None:
                yield from ((scenario, case) for case in settings.list_cases(self.interval_ms, seed))


def make_trial(round_number: int, target: str, repeat: int, scenario: str, case: Case) -> Trial:
    again = "" if repeat == 1 else "-again"
    return Trial(
        id=f"r{round_number}-{target}-{scenario}-{case.name}{again}",
        round=round_number,
        repeat=repeat,
        target=target,
        scenario=scenario,
        case=case.name,
        interval_ms=case.interval_ms,
        load=case.load,
        admission=case.admission,
        instance=case.instance,
    )
