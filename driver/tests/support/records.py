"""Run folders made by hand."""

from collections.abc import Sequence
from pathlib import Path

from loopfloor.measure.host import describe_host
from loopfloor.model import Counters, Idle, Isolation, Trial, TrialRecord, Window
from loopfloor.plan import load_plan
from loopfloor.record import Host, Manifest, RunFolder, Source, create_run
from loopfloor.units import NS_PER_S
from support.arrays import START_NS

WINDOW = Window(start_ns=START_NS, end_ns=START_NS + NS_PER_S, drained_ns=START_NS + NS_PER_S)


def make_record(trial_id: str) -> TrialRecord:
    """Return a finished idle trial from an id such as r1-node-floor-idle-10ms."""
    _, target, scenario, case = trial_id.split("-", 3)
    trial = Trial(
        id=trial_id, round=1, target=target, scenario=scenario, case=case, interval_ms=10, load=Idle(duration_s=1)
    )
    counters = Counters(now_ns=START_NS, thread_cpu_s=1, busy_s=None, gc_count=0, gc_s=0, ctx_switches=0)
    after = counters.model_copy(update={"now_ns": START_NS + NS_PER_S, "thread_cpu_s": 1.5})
    return TrialRecord(
        trial=trial,
        status="ok",
        started_at="2026-01-01T00:00:00Z",
        window=WINDOW,
        before=counters,
        after=after,
        busy_source="thread_cpu",
        samples_dropped=0,
    )


def make_run(results: Path, records: Sequence[TrialRecord]) -> RunFolder:
    run = create_run(results, "smoke")
    host = describe_host() | {"engine_version": None, "compose_version": None, "path": "loopback"}
    run.write_manifest(
        Manifest(
            run_id=run.run_id,
            status="complete",
            started_at="2026-01-01T00:00:00Z",
            plan=load_plan("smoke"),
            stage="process",
            source=Source(revision=None, dirty=None, reason="made by hand"),
            host=Host.model_validate(host | {"cpu_model": "A CPU, with a comma"}),
            isolation=Isolation(mode="none"),
            targets={"node": {"runtime": "node", "runtime_version": "9.10"}},
        )
    )
    for record in records:
        run.append_trial(record)
    return run
