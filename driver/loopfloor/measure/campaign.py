"""The loop over the trials: the only room that knows several stages of measuring."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from loopfloor.errors import FleetError, TargetNotReadyError, TrialError, UsageError
from loopfloor.measure.fleet import Address, Isolation, Stage
from loopfloor.measure.host import describe_host, describe_revision
from loopfloor.measure.load import Generator, Order
from loopfloor.measure.progress import TrialProgress
from loopfloor.measure.readings import Instruments
from loopfloor.model import SCHEMA_VERSION, ClockOffset, ClosedLoad, Idle, OpenLoad, Trial, TrialRecord, Window
from loopfloor.plan import Plan
from loopfloor.record import RunFolder, check_writable, create_run
from loopfloor.units import ns_from_s, s_from_ns

POLL_S = 0.05
TICK_S = 1.0
WARM_UP_CONNECTIONS = 10
SETTLE_INTERVALS = 3  # between the last control request and an idle span


@dataclass(frozen=True)
class Session:
    """One fresh process of one target, up and answering."""

    target: str
    address: Address
    instruments: Instruments
    busy_source: str | None


class Campaign:
    """Measures a plan on a stage and leaves the record in a new run folder."""

    def __init__(self, plan: Plan, stage: Stage, results: Path, source_tree: Path, progress: TrialProgress) -> None:
        self._plan = plan
        self._stage = stage
        self._results = results
        self._source_tree = source_tree
        self._progress = progress
        self._generator = Generator()
        self.record: RunFolder | None = None  # there is one as soon as something can be measured
        self._manifest: dict[str, Any] = {}

    def run(self) -> None:
        """Measure every trial.

        Raises UsageError, FleetError or TargetNotReadyError before any load. What a signal raises is passed
        on, with the targets stopped and the record closed as interrupted.
        """
        try:
            self._check_before_load()
            isolation = self._stage.isolate()
            if isolation.reason:
                self._progress.say(f"isolation {isolation.mode}: {isolation.reason}")
            targets = self._meet_targets()
            self.record = create_run(self._results, self._plan.name)
            self._open_record(self.record, isolation, targets)
            self._measure(self.record)
        finally:
            self._generator.close()
            self._progress.close()
            self._stage.close()

    def _check_before_load(self) -> None:
        known = self._stage.list_targets()
        faults = [f"unknown target {name!r}" for name in self._plan.targets if name not in known]
        if faults:
            raise UsageError(*faults, f"stage {self._stage.name} has {', '.join(known) or 'no targets'}")
        check_writable(self._results)

    def _meet_targets(self) -> dict[str, Any]:
        """Start every target once, so that one that cannot be measured is known before any load."""
        self._progress.say(f"meeting {', '.join(self._plan.targets)}")
        addresses = {target: self._stage.start(target) for target in self._plan.targets}
        found = {}
        for target, address in addresses.items():
            with Instruments(address.url) as instruments:
                self._await_ready(target, instruments)
                found[target] = instruments.read_info() | self._stage.describe(target)
        for target in self._plan.targets:
            self._stage.stop(target)
        return found

    def _await_ready(self, target: str, instruments: Instruments) -> None:
        deadline = time.monotonic() + self._plan.ready_within_s
        while not instruments.is_healthy():
            if reason := self._stage.explain_exit(target):
                raise TargetNotReadyError(f"{target} never became ready: {reason}")
            if time.monotonic() > deadline:
                raise TargetNotReadyError(f"{target} did not become ready within {self._plan.ready_within_s:.0f} s")
            time.sleep(POLL_S)

    def _open_record(self, run: RunFolder, isolation: Isolation, targets: dict[str, Any]) -> None:
        self._manifest = {
            "schema_version": SCHEMA_VERSION,
            "run_id": run.run_id,
            "status": "running",
            "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "plan": self._plan.model_dump(mode="json"),
            "stage": self._stage.name,
            "source": describe_revision(self._source_tree),
            "host": describe_host() | self._stage.describe_host(),
            "isolation": asdict(isolation),
            "targets": targets,
        }
        run.write_manifest(self._manifest)

    def _close_record(self, run: RunFolder, status: str) -> None:
        self._manifest |= {"status": status, "ended_at": datetime.now(UTC).isoformat(timespec="seconds")}
        run.write_manifest(self._manifest)

    def _measure(self, run: RunFolder) -> None:
        status = "interrupted"
        try:
            for target, trials in groupby(self._plan.order_trials(), key=lambda trial: (trial.round, trial.target)):
                self._run_target(run, target[1], list(trials))
            status = "complete"
        finally:
            self._close_record(run, status)

    def _run_target(self, run: RunFolder, target: str, trials: Sequence[Trial]) -> None:
        """Run the trials on one fresh process; after one that broke it, go on with another."""
        left = list(trials)
        while left:
            try:
                session = self._open_session(target)
            except (FleetError, TargetNotReadyError, TrialError) as error:
                for trial in left:
                    self._keep(run, fail(trial, f"{target} could not be started again: {error}"))
                return
            with session.instruments:
                for trial in self._take_while_alive(session, left):
                    self._progress.begin(trial)
                    self._keep(run, self._try_trial(run, session, trial))
            self._stage.stop(target)

    def _take_while_alive(self, session: Session, left: list[Trial]) -> Iterator[Trial]:
        while left and self._stage.explain_exit(session.target) is None:
            yield left.pop(0)

    def _keep(self, run: RunFolder, record: TrialRecord) -> None:
        run.append_trial(record)
        self._progress.end(record)

    def _open_session(self, target: str) -> Session:
        address = self._stage.start(target)
        instruments = Instruments(address.url)
        self._await_ready(target, instruments)
        busy_source = instruments.read_info().get("busy_source")
        session = Session(target, address, instruments, busy_source if isinstance(busy_source, str) else None)
        if self._plan.warm_up_s > 0:
            load = ClosedLoad(route="/noop", connections=WARM_UP_CONNECTIONS, duration_s=self._plan.warm_up_s)
            self._generator.run(self._order(session, load))
        return session

    def _try_trial(self, run: RunFolder, session: Session, trial: Trial) -> TrialRecord:
        try:
            return self._run_trial(run, session, trial)
        except TrialError as error:
            try:
                reason = self._stage.explain_exit(session.target)
            except FleetError as lost:
                reason = str(lost)
            return fail(trial, f"{error}; {reason}" if reason else str(error))

    def _run_trial(self, run: RunFolder, session: Session, trial: Trial) -> TrialRecord:
        """Arm, read, load, read again, and put the raw files on disk."""
        started_at = datetime.now(UTC).isoformat(timespec="milliseconds")
        instruments = session.instruments
        instruments.arm(trial.interval_ms)
        offset_ns, error_ns = instruments.measure_offset()
        before = instruments.read_counters()
        outcome = None
        if isinstance(trial.load, Idle):
            window = self._wait_idle(trial)
        else:
            outcome = self._generator.run(self._order(session, trial.load), lambda: self._progress.tick(TICK_S))
            window = outcome.window
        answer = instruments.read_samples(since_ns=0)
        clock = ClockOffset(
            offset_ns=offset_ns, error_ns=error_ns, drift_ns=instruments.measure_offset()[0] - offset_ns
        )
        run.write_samples(trial.id, answer.read_samples(clock.applied_ns), window)
        if outcome is not None:
            run.write_requests(trial.id, outcome.requests, window)
        return TrialRecord(
            trial=trial,
            status="ok",
            started_at=started_at,
            window=window,
            clock=clock,
            before=before,
            after=answer.read_counters(),
            busy_source=session.busy_source,
            native=answer.native,
            samples_dropped=answer.dropped,
            generator=outcome.generator if outcome is not None else None,
        )

    def _wait_idle(self, trial: Trial) -> Window:
        time.sleep(SETTLE_INTERVALS * trial.interval_ms / 1e3)
        start_ns = time.perf_counter_ns()
        end_ns = start_ns + ns_from_s(trial.load.duration_s)
        while (left_ns := end_ns - time.perf_counter_ns()) > 0:
            time.sleep(min(TICK_S, s_from_ns(left_ns)))
            self._progress.tick(TICK_S)
        # One more interval, so that the gap across the end of the span is over when it is read.
        time.sleep(2 * trial.interval_ms / 1e3)
        return Window(start_ns=start_ns, end_ns=end_ns, drained_ns=end_ns)

    def _order(self, session: Session, load: ClosedLoad | OpenLoad) -> Order:
        address = session.address
        return Order(address.host, address.port, load, self._plan.timeout_s, self._plan.max_in_flight)


def fail(trial: Trial, reason: str) -> TrialRecord:
    """Return the record of a trial that has no figures, only a reason."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return TrialRecord(trial=trial, status="failed", reason=reason, started_at=now)
