"""Several instances of one target under equal load at the same time."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

from loopfloor.measure.campaign.session import Session
from loopfloor.measure.campaign.trial import try_trial
from loopfloor.measure.fleet import Stage
from loopfloor.measure.load import Generator
from loopfloor.model import Trial, TrialRecord
from loopfloor.plan import Plan
from loopfloor.record import RunFolder


def try_together(plan: Plan, stage: Stage, run: RunFolder, trials: Sequence[Trial]) -> list[TrialRecord]:
    """Return one record per trial, each of an instance of its own. Raises what starting a session raises."""
    names = [trial.process_name for trial in trials]
    with ExitStack() as stack:
        generators = [stack.enter_context(closing(Generator())) for _ in trials]
        sessions = [
            stack.enter_context(Session(plan, stage, generator, name, 1, beside=names))
            for generator, name in zip(generators, names, strict=True)
        ]
        pool = stack.enter_context(ThreadPoolExecutor(len(trials)))
        pending = [
            pool.submit(try_trial, session, trial, run, generator, lambda _: None)
            for session, trial, generator in zip(sessions, trials, generators, strict=True)
        ]
        return [future.result() for future in pending]
