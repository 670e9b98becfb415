"""A plan on a stage, from the first check to the closed record."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from loopfloor.errors import FleetError, TargetNotReadyError, TrialError, UsageError
from loopfloor.measure.campaign.session import Session, await_ready
from loopfloor.measure.campaign.together import try_together
from loopfloor.measure.campaign.trial import fail_trial, try_trial
from loopfloor.measure.fleet import Stage
from loopfloor.measure.host import describe_host, describe_revision
from loopfloor.measure.load import DELAY_MS, Generator, make_closed_test, run_selftest
from loopfloor.measure.progress import TrialProgress
from loopfloor.measure.readings import Instruments
from loopfloor.model import ClosedLoad, Isolation, OpenLoad, SelfTestRecord, Trial, TrialRecord
from loopfloor.plan import Plan
from loopfloor.record import Host, Manifest, RunFolder, Source, check_writable, create_run

SELF_TEST_S = 0.5
SELF_TEST_ATTEMPTS = 2
Show = Callable[[RunFolder, Sequence[TrialRecord]], None]  # called with what is done, between trials
MOST_PROCESSES = 5  # of one target in one turn: what breaks more often is broken


class Campaign:
    """Measures a plan on a stage and leaves the record in a new run folder."""

    def __init__(
        self, plan: Plan, stage: Stage, results: Path, source_tree: Path, progress: TrialProgress, show: Show
    ) -> None:
        self._plan = plan
        self._stage = stage
        self._results = results
        self._source_tree = source_tree
        self._progress = progress
        self._show = show
        self._done: list[TrialRecord] = []
        self._generator = Generator()
        self.record: RunFolder | None = None  # there is one as soon as something can be measured

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
            self._show(self.record, self._done)
            self._test_generator(self.record)
            self._measure(self.record)
        finally:
            self._generator.close()
            self._progress.close()
            self._stage.close()

    def _check_before_load(self) -> None:
        known = self._stage.list_targets()
        faults = [f"unknown target {name!r}" for name in self._real_targets() if name not in known]
        missing = [name for name in self._list_instances() if name not in known and not faults]
        faults += [f"no instance {name!r}: start them with docker compose up --scale NAME=3" for name in missing]
        if faults:
            raise UsageError(*faults, f"stage {self._stage.name} has {', '.join(known) or self._stage.no_targets}")
        check_writable(self._results)

    def _meet_targets(self) -> dict[str, Any]:
        """Have every target up once, so that one that cannot be measured is known before any load."""
        self._progress.say(f"meeting {', '.join(self._plan.targets)}")
        addresses = {target: self._stage.start(target, fresh=False) for target in self._real_targets()}
        found = {}
        for target, address in addresses.items():
            with Instruments(address.url) as instruments:
                await_ready(self._stage, target, instruments, self._plan.ready_within_s)
                found[target] = instruments.read_info() | self._stage.describe(target)
        for target in addresses:
            self._stage.stop(target)
        return {name: found[self._plan.find_target(name)] for name in self._plan.targets}

    def _real_targets(self) -> Sequence[str]:
        return list(dict.fromkeys(map(self._plan.find_target, self._plan.targets)))

    def _list_instances(self) -> Sequence[str]:
        names = dict.fromkeys(trial.process_name for trial in self._plan.order_trials() if trial.instance is not None)
        return list(names)

    def _open_record(self, run: RunFolder, isolation: Isolation, targets: dict[str, Any]) -> None:
        manifest = Manifest(
            run_id=run.run_id,
            status="running",
            started_at=datetime.now(UTC).isoformat(timespec="seconds"),
            plan=self._plan,
            stage=self._stage.name,
            source=Source.model_validate(describe_revision(self._source_tree)),
            host=Host.model_validate(describe_host() | self._stage.describe_host()),
            isolation=isolation,
            targets=targets,
        )
        run.write_manifest(manifest)

    def _test_generator(self, run: RunFolder) -> None:
        """Run the heaviest loads of the plan against a server whose answers are known."""
        self._progress.say("testing the generator")
        loads = [*self._list_test_loads()] * SELF_TEST_ATTEMPTS
        records = []
        for number, (load, outcome) in enumerate(run_selftest(self._generator, loads), 1):
            name = f"selftest-{load.kind}-{number}"
            checksum = run.write_requests(name, outcome.requests, outcome.window)
            records.append(
                SelfTestRecord(id=name, load=load, delay_ms=DELAY_MS, window=outcome.window, raw_sha256=checksum)
            )
        run.update_manifest(self_test=tuple(records))

    def _list_test_loads(self) -> Iterator[ClosedLoad | OpenLoad]:
        loads = [trial.load for trial in self._plan.order_trials()]
        connections = [load.connections for load in loads if isinstance(load, ClosedLoad)]
        rates_per_s = [load.rate_per_s for load in loads if isinstance(load, OpenLoad)]
        if connections:
            yield make_closed_test(max(connections), SELF_TEST_S)
        if rates_per_s:
            yield OpenLoad(route="/", rate_per_s=max(rates_per_s), duration_s=SELF_TEST_S)

    def _measure(self, run: RunFolder) -> None:
        status = "interrupted"
        try:
            for (_, name), turn in groupby(self._plan.order_trials(), key=lambda trial: (trial.round, trial.target)):
                trials, target = list(turn), self._plan.find_target(name)
                self._take_turn(run, target, [trial for trial in trials if trial.instance is None])
                if together := [trial for trial in trials if trial.instance is not None]:
                    self._measure_together(run, together)
            status = "complete"
        finally:
            ended_at = datetime.now(UTC).isoformat(timespec="seconds")
            run.update_manifest(status=status, ended_at=ended_at, trials_sha256=run.hash_trials())

    def _take_turn(self, run: RunFolder, target: str, left: list[Trial]) -> None:
        """Run a target's trials on one fresh process; after one that broke it, go on with another."""
        process, reason = 0, "it broke too often"
        while left and process < MOST_PROCESSES:
            process += 1
            try:
                with Session(self._plan, self._stage, self._generator, target, process) as session:
                    while left and session.explain_exit() is None:
                        self._progress.begin(left[0])
                        record = try_trial(session, left.pop(0), run, self._generator, self._progress.tick)
                        self._keep(run, record)
            except (FleetError, TargetNotReadyError, TrialError) as error:
                reason = str(error)
                break
        for trial in left:
            self._keep(run, fail_trial(trial, f"{target} could not be measured: {reason}", process))

    def _measure_together(self, run: RunFolder, trials: list[Trial]) -> None:
        """Run one trial on each of several instances at the same time, each with a generator of its own."""
        self._progress.begin(trials[0])
        try:
            records = try_together(self._plan, self._stage, run, trials)
        except (FleetError, TargetNotReadyError, TrialError) as error:
            records = [fail_trial(trial, f"the instances could not be measured: {error}", 1) for trial in trials]
        for record in records:
            self._keep(run, record)

    def _keep(self, run: RunFolder, record: TrialRecord) -> None:
        run.append_trial(record)
        self._done.append(record)
        self._progress.end(record)
        self._show(run, self._done)
