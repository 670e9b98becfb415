"""From the record to what is published: reads a run, has it judged, and writes what follows from it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console

from loopfloor.judge.tables import floor, pair, parts, ramp
from loopfloor.judge.tables.reading import Context, Reading, Row, find_floors
from loopfloor.judge.verdict import DOUBTS
from loopfloor.model import Idle, Requests, TrialRecord
from loopfloor.publish.summary import format_markdown, print_tables
from loopfloor.publish.tables import format_table
from loopfloor.record import RunFolder

MAKERS = {"floor": floor.make_rows, "pair": pair.make_rows, "ramp": ramp.make_rows}


def derive_tables(run: RunFolder) -> dict[str, list[Row]]:
    """Return the rows of every table, from the manifest, the trials and the raw files alone."""
    manifest, plan, records = run.read_manifest(), run.read_plan(), run.read_trials()
    floors = find_floors(records, lambda record: read_trial(run, record))
    one_core = len((manifest["isolation"].get("target_cpus") or "").split(",")) == 1
    context = Context(run.run_id, plan, floors, one_core)
    tables: dict[str, list[Row]] = {}
    for record in records:
        rows = tables.setdefault(record.trial.scenario, [])
        if record.window is None:
            rows.append(parts.key_part(context, record))  # a failed trial has a key and a status, and no figure
        else:
            rows += MAKERS[record.trial.scenario](context, read_trial(run, record))
    return tables


def read_trial(run: RunFolder, record: TrialRecord) -> Reading:
    assert record.window is not None
    samples = run.read_samples(record.trial.id, record.window)
    if isinstance(record.trial.load, Idle):
        return Reading(record, record.window, samples, no_requests())
    return Reading(record, record.window, samples, run.read_requests(record.trial.id, record.window))


def no_requests() -> Requests:
    none = np.zeros(0, dtype=np.int64)
    return Requests(none, none, none, none.astype(np.int16), none.astype(np.int8))


def publish(run: RunFolder, console: Console | None = None) -> bool:
    """Write every derived file of a run, print its tables where a console is given; return whether all is ok."""
    tables = derive_tables(run)
    for name, rows in tables.items():
        run.write_text(f"{name}.csv", format_table(name, rows))
    manifest = run.read_manifest()
    notes = [*describe_doubts(tables), *describe_failures(run.read_trials())]
    run.write_text("summary.md", format_markdown(run.run_id, describe_conditions(manifest), tables, notes))
    if console is not None:
        print_tables(console, tables)
        for note in notes:
            console.print(note, highlight=False, markup=False, soft_wrap=True)
    return all(row["status"] == "ok" for rows in tables.values() for row in rows)


def describe_doubts(tables: dict[str, list[Row]]) -> Sequence[str]:
    found = {code for rows in tables.values() for row in rows for code in str(row.get("doubts") or "").split(";")}
    return [f"{doubt.code}: {doubt.sentence} {doubt.next_step}" for code, doubt in DOUBTS.items() if code in found]


def describe_failures(records: Sequence[TrialRecord]) -> Sequence[str]:
    return [f"{record.trial.id} failed: {record.reason}" for record in records if record.status != "ok"]


def describe_conditions(manifest: dict[str, Any]) -> str:
    host, isolation = manifest["host"], manifest["isolation"]
    targets = manifest["targets"].items()
    runtimes = ", ".join(f"{name} ({info['runtime']} {info['runtime_version']})" for name, info in targets)
    where = f"{host['cpu_model']}, {host['cores']} cores, kernel {host['kernel']}"
    pinned = f"driver on cores {isolation['driver_cpus']}, targets on cores {isolation['target_cpus']}, "
    cores = f"{pinned if isolation['target_cpus'] else ''}isolation {isolation['mode']}"
    return f"Plan {manifest['plan']['name']}, {manifest['started_at']}; {runtimes}; {where}; {cores}."
