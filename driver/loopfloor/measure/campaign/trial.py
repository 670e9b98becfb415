"""One trial: arm, read, load, read again, and put the raw files on disk."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from loopfloor.errors import ReadingError, TrialError
from loopfloor.measure.campaign.session import Session
from loopfloor.measure.host import read_cpu_ticks, read_steal_share, read_throttled_periods
from loopfloor.measure.load import Generator, Outcome
from loopfloor.measure.readings import Instruments, SamplesAnswer
from loopfloor.model import Admission, ClockOffset, Counters, Idle, Samples, Trial, TrialRecord, Window
from loopfloor.record import RunFolder
from loopfloor.units import ns_from_s, s_from_ns

TICK_S = 1.0
SETTLE_INTERVALS = 3  # between the last control request and an idle span
CLOSE_INTERVALS = 2  # after the span, so that the gap across its end is over when it is read
OPEN_DOOR = Admission(enabled=False)
CUMULATIVE = ("now_ns", "thread_cpu_s", "busy_s", "gc_count", "gc_s", "ctx_switches")


def try_trial(
    session: Session, trial: Trial, run: RunFolder, generator: Generator, on_tick: Callable[[float], None]
) -> TrialRecord:
    """Return the record of a trial, also of one that failed: then it has a reason and no figures."""
    try:
        record = run_trial(session, trial, run, generator, on_tick)
        if intruders := session.stop_intruders():
            raise TrialError(f"not alone: {intruders} ran beside it")
    except TrialError as error:
        reason = session.explain_exit()
        return fail_trial(trial, f"{error}; {reason}" if reason else str(error), session.process)
    return record


def run_trial(
    session: Session, trial: Trial, run: RunFolder, generator: Generator, on_tick: Callable[[float], None]
) -> TrialRecord:
    """Raises TrialError where something broke or the readings cannot be those of this trial."""
    started_at = write_time()
    instruments = session.instruments
    instruments.arm(trial.interval_ms)
    offset_ns, error_ns = instruments.measure_offset()
    throttled_before, ticks_before = read_throttled_periods(), read_cpu_ticks()
    usage_before, stalls_before = instruments.read_usage(), instruments.read_stalls()
    before = instruments.read_counters()
    with door(instruments, trial):
        window, outcome = apply_load(session, trial, generator, on_tick)
    time.sleep(CLOSE_INTERVALS * trial.interval_ms / 1e3)
    answer = instruments.read_samples(since_ns=0)
    drift_ns = instruments.measure_offset()[0] - offset_ns
    clock = ClockOffset(offset_ns=offset_ns, error_ns=error_ns, drift_ns=drift_ns)
    samples = answer.read_samples(clock.applied_ns)
    check_reading(trial, before, answer, samples, window)
    checksums = {"samples": run.write_samples(trial.id, samples, window)}
    if outcome is not None:
        checksums["requests"] = run.write_requests(trial.id, outcome.requests, window)
    return TrialRecord(
        trial=trial,
        status="ok",
        started_at=started_at,
        process=session.process,
        window=window,
        clock=clock,
        before=before,
        after=answer.read_counters(),
        busy_source=session.busy_source,
        native=answer.native,
        samples_dropped=answer.dropped,
        generator=outcome.generator if outcome is not None else None,
        usage_before=usage_before,
        usage_after=instruments.read_usage(),
        stalls_before=stalls_before,
        stalls_after=instruments.read_stalls(),
        generator_throttled_periods=subtract(read_throttled_periods(), throttled_before),
        steal_share=read_steal_share(ticks_before, read_cpu_ticks()),
        raw_sha256=checksums,
    )


@contextmanager
def door(instruments: Instruments, trial: Trial) -> Iterator[None]:
    """Set the target's door for one trial, and leave it open afterwards."""
    if trial.admission is None:
        yield
        return
    instruments.set_admission(trial.admission)
    try:
        yield
    finally:
        instruments.set_admission(OPEN_DOOR)


def apply_load(
    session: Session, trial: Trial, generator: Generator, on_tick: Callable[[float], None]
) -> tuple[Window, Outcome | None]:
    if isinstance(trial.load, Idle):
        return wait_idle(trial, on_tick), None
    outcome = generator.run(session.make_order(trial.load), lambda: on_tick(TICK_S))
    return outcome.window, outcome


def wait_idle(trial: Trial, on_tick: Callable[[float], None]) -> Window:
    time.sleep(SETTLE_INTERVALS * trial.interval_ms / 1e3)
    start_ns = time.perf_counter_ns()
    end_ns = start_ns + ns_from_s(trial.load.duration_s)
    while (left_ns := end_ns - time.perf_counter_ns()) > 0:
        time.sleep(min(TICK_S, s_from_ns(left_ns)))
        on_tick(TICK_S)
    return Window(start_ns=start_ns, end_ns=end_ns, drained_ns=end_ns)


def check_reading(trial: Trial, before: Counters, answer: SamplesAnswer, samples: Samples, window: Window) -> None:
    """Raise ReadingError where the readings before and after cannot be of one process with one ruler."""
    if answer.interval_ms != trial.interval_ms:
        raise ReadingError(
            f"the ruler samples every {answer.interval_ms} ms, not {trial.interval_ms}: restarted or re-armed meanwhile"
        )
    after = answer.read_counters()
    pairs = ((name, getattr(before, name), getattr(after, name)) for name in CUMULATIVE)
    shrunk = [name for name, old, new in pairs if old is not None and new is not None and new < old]
    if shrunk:
        raise ReadingError(f"{', '.join(shrunk)} went down: the target was restarted meanwhile")
    if len(samples.gap_ns) == 0:
        raise ReadingError("the ruler wrote nothing down")
    if not answer.dropped and samples.fired_at_ns[0] - samples.gap_ns[0] > window.start_ns:
        raise ReadingError("the samples begin after the trial did: the target was restarted meanwhile")


def fail_trial(trial: Trial, reason: str, process: int) -> TrialRecord:
    """Return the record of a trial that has no figures, only a reason."""
    return TrialRecord(trial=trial, status="failed", reason=reason, started_at=write_time(), process=process)


def write_time() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def subtract(after: int | None, before: int | None) -> int | None:
    return None if after is None or before is None else after - before
