"""From the record to what is published: reads a run, has it judged, and writes what follows from it."""

from collections.abc import Sequence

import numpy as np
from rich.console import Console

from loopfloor.errors import UsageError
from loopfloor.judge.doubts import DOUBTS
from loopfloor.judge.selftest import Carried, judge_selftest, read_carried
from loopfloor.judge.tables import burst, calibration, claims, floor, instances, pair, ramp, saturation, shed, stall
from loopfloor.judge.tables.loaded import fail_row
from loopfloor.judge.tables.reading import Context, Reading, Row, find_floors
from loopfloor.model import Idle, Requests, TrialRecord
from loopfloor.publish.alerts import format_alerts
from loopfloor.publish.summary import format_markdown, print_tables
from loopfloor.publish.tables import format_table
from loopfloor.record import Manifest, RunFolder

MAKERS = {
    "floor": floor.make_rows,
    "calibration": calibration.make_rows,
    "pair": pair.make_rows,
    "ramp": ramp.make_rows,
    "burst": burst.make_rows,
    "saturation": saturation.make_rows,
    "stall": stall.make_rows,
    "shed": shed.make_rows,
    "instances": instances.make_rows,
}
ALERTS_TEMPLATE = "alerts.template.yml"  # in a run that was given one of its own
RELATERS = {
    "saturation": saturation.relate_rows,
    "shed": shed.relate_rows,
    "instances": instances.relate_rows,
}  # what only several trials together say


def derive_tables(run: RunFolder) -> dict[str, list[Row]]:
    """Return the rows of every table, from the manifest, the trials and the raw files alone."""
    manifest, records = run.read_manifest(), run.read_trials()
    context = Context(
        run_id=run.run_id,
        plan=manifest.plan,
        floors=find_floors(records, lambda record: read_trial(run, record)),
        one_core={name for name in manifest.plan.targets if manifest.count_target_cores(name) == 1},
        carried=read_carried(judge_selftests(run, manifest)),
    )
    tables: dict[str, list[Row]] = {}
    for record in records:
        rows = tables.setdefault(record.trial.scenario, [])
        if record.window is None:
            rows.append(fail_row(context, record))
        else:
            rows += MAKERS[record.trial.scenario](context, read_trial(run, record))
    for name, relate in RELATERS.items():
        for group in group_by_turn(tables.get(name, [])):
            relate(group)
    if found := claims.make_rows(run.run_id, manifest.plan, tables):
        tables["claims"] = found
    return tables


def group_by_turn(rows: list[Row]) -> list[list[Row]]:
    """Return the rows of each target in each round."""
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["round"], row["target"], row["repeat"]), []).append(row)
    return list(groups.values())


def judge_selftests(run: RunFolder, manifest: Manifest) -> list[Carried]:
    """Return what the generator carried against the known-delay server, before this run's own trials."""
    return [
        judge_selftest(record.load, run.read_requests(record.id, record.window), record.delay_ms)
        for record in manifest.self_test
    ]


def read_trial(run: RunFolder, record: TrialRecord) -> Reading:
    assert record.window is not None
    samples = run.read_samples(record.trial.id, record.window)
    if isinstance(record.trial.load, Idle):
        return Reading(record, record.window, samples, no_requests())
    return Reading(record, record.window, samples, run.read_requests(record.trial.id, record.window))


def no_requests() -> Requests:
    none = np.zeros(0, dtype=np.int64)
    return Requests(none, none, none, none.astype(np.int16), none.astype(np.int8), none.astype(np.int8))


def derive_files(run: RunFolder, tables: dict[str, list[Row]]) -> dict[str, str]:
    """Return every derived file by its name; the same raw files give the same text."""
    files = {f"{name}.csv": format_table(name, rows) for name, rows in tables.items()}
    notes = list_notes(run, tables)
    files["alerts.rules.yml"] = derive_alerts(run, tables, run.read_text(ALERTS_TEMPLATE))
    files["summary.md"] = format_markdown(run.run_id, describe_conditions(run), tables, notes)
    return files


def derive_alerts(run: RunFolder, tables: dict[str, list[Row]], template: str | None) -> str:
    """Return the alert rules. Raises UsageError where the template gives no rules file."""
    try:
        return format_alerts(run.run_id, tables, template)
    except ValueError as error:
        raise UsageError(f"the template of the alert rules cannot be used: {error}") from None


def publish(run: RunFolder, console: Console | None = None, alerts_template: str | None = None) -> bool:
    """Write every derived file of a run, print its tables where a console is given; return whether all is ok.

    A template of the alert rules that works is kept in the run. Raises UsageError, with nothing written, for one that
    does not.
    """
    tables = derive_tables(run)
    if alerts_template is not None:
        derive_alerts(run, tables, alerts_template)
        run.write_text(ALERTS_TEMPLATE, alerts_template)
    for name, text in derive_files(run, tables).items():
        run.write_text(name, text)
    if console is not None:
        print_tables(console, tables)
        for note in list_notes(run, tables):
            console.print(note, highlight=False, markup=False, soft_wrap=True)
    return all(row.get("status", "ok") == "ok" for rows in tables.values() for row in rows)


def list_notes(run: RunFolder, tables: dict[str, list[Row]]) -> list[str]:
    return [*describe_gaps(run), *describe_doubts(tables), *describe_failures(run.read_trials())]


def describe_doubts(tables: dict[str, list[Row]]) -> Sequence[str]:
    found = {code for rows in tables.values() for row in rows for code in str(row.get("doubts") or "").split(";")}
    return [f"{doubt.code}: {doubt.sentence} {doubt.next_step}" for code, doubt in DOUBTS.items() if code in found]


def describe_failures(records: Sequence[TrialRecord]) -> Sequence[str]:
    return [f"{record.trial.id} failed: {record.reason}" for record in records if record.status != "ok"]


def describe_conditions(run: RunFolder) -> str:
    manifest = run.read_manifest()
    host, isolation, plan = manifest.host, manifest.isolation, manifest.plan
    runtimes = ", ".join(map(manifest.describe_target, manifest.targets))
    where = f"{host.cpu_model}, {host.cores} cores, kernel {host.kernel}, {host.path}"
    pinned = f"driver on cores {isolation.driver_cpus}, targets on cores {isolation.target_cpus}, "
    cores = f"{pinned if isolation.target_cpus else ''}isolation {isolation.mode}"
    return f"Plan {plan.name}, {manifest.started_at}; {runtimes}; {where}; {cores}."


def describe_gaps(run: RunFolder) -> list[str]:
    """Return what is missing from a run that did not come to its end."""
    manifest = run.read_manifest()
    planned, done = len(list(manifest.plan.order_trials())), len(run.read_trials())
    if manifest.status == "complete" and done == planned:
        return []
    return [f"{manifest.status}: {done} of {planned} trials were done; the rest is missing from every table."]
