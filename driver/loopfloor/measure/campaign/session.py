"""One fresh process of one target: started, awaited, warmed up, watched, stopped."""

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Self

from loopfloor.errors import FleetError, GeneratorError, TargetNotReadyError
from loopfloor.measure.fleet import Address, Stage
from loopfloor.measure.load import Generator, Order
from loopfloor.measure.readings import Instruments
from loopfloor.model import ClosedLoad, OpenLoad, TimedLoad
from loopfloor.plan import Plan

POLL_S = 0.05
WARM_UP_CONNECTIONS = 10


class Session:
    """Alone on its stage, but for those that it is told of. `process` counts the processes that a turn needed."""

    def __init__(
        self, plan: Plan, stage: Stage, generator: Generator, target: str, process: int, beside: Sequence[str] = ()
    ) -> None:
        self._plan = plan
        self._stage = stage
        self._generator = generator
        self.target = target
        self.process = process
        self._company = (target, *beside)
        self.instruments: Instruments
        self.busy_source: str | None = None
        self._address: Address

    def __enter__(self) -> Self:
        """Raises FleetError, TargetNotReadyError or TrialError; then nothing is left running."""
        try:
            self._stage.stop_others(*self._company)
            self._address = self._stage.start(self.target)
            self.instruments = Instruments(self._address.url)
            await_ready(self._stage, self.target, self.instruments, self._plan.ready_within_s)
            busy_source = self.instruments.read_info().get("busy_source")
            self.busy_source = busy_source if isinstance(busy_source, str) else None
            self._warm_up()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_error: object) -> None:
        if hasattr(self, "instruments"):
            self.instruments.close()
        with suppress(FleetError):  # it is gone already, which is as good
            self._stage.stop(self.target)

    def make_order(self, load: ClosedLoad | OpenLoad | TimedLoad) -> Order:
        return Order(self._address.host, self._address.port, load, self._plan.timeout_s, self._plan.max_in_flight)

    def explain_exit(self) -> str | None:
        """Return why the target no longer runs, or None while it does."""
        try:
            return self._stage.explain_exit(self.target)
        except FleetError as lost:
            return str(lost)

    def stop_intruders(self) -> str | None:
        """Stop whatever else was started meanwhile, and return who that was."""
        try:
            return ", ".join(self._stage.stop_others(*self._company)) or None
        except FleetError as lost:
            return str(lost)

    def _warm_up(self) -> None:
        """A generator that dies here is started again once: no trial was at stake yet."""
        if self._plan.warm_up_s <= 0:
            return
        load = ClosedLoad(route="/noop", connections=WARM_UP_CONNECTIONS, duration_s=self._plan.warm_up_s)
        try:
            self._generator.run(self.make_order(load))
        except GeneratorError:
            self._generator.run(self.make_order(load))


def await_ready(stage: Stage, target: str, instruments: Instruments, within_s: float) -> None:
    """Poll until the target answers. Raises TargetNotReadyError with what is known of why not."""
    deadline = time.monotonic() + within_s
    while not instruments.is_healthy():
        if reason := stage.explain_exit(target):
            raise TargetNotReadyError(f"{target} never became ready: {reason}")
        if time.monotonic() > deadline:
            raise TargetNotReadyError(f"{target} did not become ready within {within_s:.0f} s")
        time.sleep(POLL_S)
