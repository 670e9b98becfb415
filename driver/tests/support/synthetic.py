"""A whole run made by hand: every trial of a plan, with raw files that no machine had to measure."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from loopfloor.judge.tables.work import read_nominal_ms
from loopfloor.model import (
    ClosedLoad,
    Counters,
    Fate,
    GeneratorReading,
    Idle,
    Load,
    OpenLoad,
    Requests,
    Samples,
    Trial,
    TrialRecord,
    Window,
)
from loopfloor.plan import Plan, load_plan
from loopfloor.record import RunFolder
from loopfloor.units import NS_PER_MS, NS_PER_S
from support.arrays import START_NS
from support.records import make_run

CLOSED_REQUESTS = 120


def make_short_plan(rounds: int, scenarios: Sequence[str] = ()) -> Plan:
    """Return the publish plan with the same cases and headlines, but as little of each as still tells them apart."""
    plan = load_plan("publish", scenarios=scenarios)
    shorter: dict[str, dict[str, Any]] = {
        "floor": {"idle_s": 0.5, "traffic_s": 0.5},
        "ramp": {"rate_per_s": 250, "duration_s": 6},
        "saturation": {"duration_s": 0.5},
        "stall": {"duration_s": 2},
        "shed": {"light_s": 1, "capacity_s": 0.5, "duration_s": 0.5},
    }
    settings = {
        name: old.model_copy(update=update)
        for name, update in shorter.items()
        if (old := getattr(plan, name)) is not None
    }
    if plan.pair is not None:
        cells = tuple(cell.model_copy(update={"duration_s": 1.0}) for cell in plan.pair.cells)
        settings["pair"] = plan.pair.model_copy(update={"cells": cells})
    return plan.model_copy(update={"rounds": rounds} | settings)


def make_whole_run(
    results: Path,
    plan: Plan,
    *,
    slower: Mapping[str, float] | None = None,
    failed: Collection[str] = (),
    **manifest: Any,
) -> RunFolder:
    """Return a run of `plan`; the targets named in `slower` take that many times as long as the others."""
    run = make_run(results, [])
    infos = {
        target: {"runtime": target, "runtime_version": "1.0", "versions": {"libuv": "1.2"}} for target in plan.targets
    }
    run.update_manifest(plan=plan, targets=infos, **manifest)
    for number, trial in enumerate(plan.order_trials()):
        if trial.id in failed:
            run.append_trial(
                TrialRecord(trial=trial, status="failed", reason="it <b>fell</b>", started_at="2026-01-01")
            )
            continue
        run.append_trial(measure(run, trial, (slower or {}).get(trial.target, 1.0), np.random.default_rng(number)))
    return run


def measure(run: RunFolder, trial: Trial, times: float, random: np.random.Generator) -> TrialRecord:
    end_ns = START_NS + round(trial.load.duration_s * NS_PER_S)
    window = Window(start_ns=START_NS, end_ns=end_ns, drained_ns=end_ns)
    checksums = {"samples": run.write_samples(trial.id, make_gaps(trial, times, random), window)}
    if not isinstance(trial.load, Idle):
        checksums["requests"] = run.write_requests(trial.id, make_answers(trial.load, times, random), window)
    return TrialRecord(
        trial=trial,
        status="ok",
        started_at="2026-01-01T00:00:00Z",
        window=window,
        before=count(START_NS, 0),
        after=count(end_ns, 0.4 * trial.load.duration_s),
        busy_source="elu",
        samples_dropped=0,
        generator=GeneratorReading(cpu_s=0.1, wall_s=1, connections_opened=1, in_flight_max=1, timer_late_ns=[0]),
        raw_sha256=checksums,
    )


def count(at_ns: int, busy_s: float) -> Counters:
    return Counters(now_ns=at_ns, thread_cpu_s=busy_s, busy_s=busy_s, gc_count=0, gc_s=0, ctx_switches=0)


def make_gaps(trial: Trial, times: float, random: np.random.Generator) -> Samples:
    gap_ms = trial.interval_ms + times * (0.2 if isinstance(trial.load, Idle) else 3.0)
    count = round(trial.load.duration_s * 1e3 / gap_ms) + 1
    gaps_ns = np.rint((gap_ms + random.uniform(0, 0.05, count)) * NS_PER_MS).astype(np.int64)
    return Samples(fired_at_ns=START_NS + np.cumsum(gaps_ns), gap_ns=gaps_ns)


def make_answers(load: Load, times: float, random: np.random.Generator) -> Requests:
    assert not isinstance(load, Idle)
    sends = list_sends(load)
    routes = list(dict.fromkeys(route for _, route in sends))
    own_ms = np.array([sum(read_nominal_ms(route)) for _, route in sends], dtype=float)
    latency_ms = own_ms + times * (1 + random.uniform(0, 0.1, len(sends)))
    intended_ns = START_NS + np.rint(np.array([at_s for at_s, _ in sends]) * NS_PER_S).astype(np.int64)
    return Requests(
        intended_ns,
        intended_ns,
        intended_ns + np.rint(latency_ms * NS_PER_MS).astype(np.int64),
        np.full(len(sends), 200, dtype=np.int16),
        np.full(len(sends), Fate.OK, dtype=np.int8),
        np.array([routes.index(route) for _, route in sends], dtype=np.int8),
    )


def list_sends(load: ClosedLoad | OpenLoad | Any) -> list[tuple[float, str]]:
    """Return when each request is sent, and to where, in order of time."""
    if isinstance(load, ClosedLoad):
        return [(load.duration_s * n / CLOSED_REQUESTS, load.route) for n in range(CLOSED_REQUESTS)]
    if isinstance(load, OpenLoad):
        regular = [(n / load.rate_per_s, load.route) for n in range(round(load.rate_per_s * load.duration_s))]
        return sorted([*regular, *((send.at_s, send.route) for send in load.extra)], key=lambda send: send[0])
    return [(send.at_s, send.route) for send in load.sends]
