"""From the record to the tables: reads a run, and has every trial judged. Writes nothing."""

from collections.abc import Sequence

import numpy as np

from loopfloor.judge.selftest import Carried, judge_selftest, read_carried
from loopfloor.judge.tables import (
    burst,
    calibration,
    claims,
    floor,
    instances,
    medians,
    pair,
    ramp,
    saturation,
    shed,
    stall,
    targets,
    trials,
)
from loopfloor.judge.tables.loaded import fail_row
from loopfloor.judge.tables.reading import Context, Reading, Row, find_floors
from loopfloor.model import Idle, Requests, TrialRecord
from loopfloor.publish import others
from loopfloor.publish.sheets import PRINTED
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
    tables: dict[str, list[Row]] = {
        "targets": [
            targets.make_row(run.run_id, name, info, manifest.count_target_cores(name))
            for name, info in manifest.targets.items()
        ],
        "trials": [trials.make_row(run.run_id, record) for record in records],
    }
    for record in records:
        rows = tables.setdefault(record.trial.scenario, [])
        if record.window is None:
            rows.append(fail_row(context, record))
        else:
            rows += MAKERS[record.trial.scenario](context, read_trial(run, record))
    for name, relate in RELATERS.items():
        for group in group_by_turn(tables.get(name, [])):
            relate(group)
    tables["medians"] = medians.make_rows(run.run_id, tables, list_wanted())
    if found := claims.make_rows(run.run_id, manifest.plan, tables):
        tables["claims"] = found
    return tables


def list_wanted() -> dict[str, Sequence[str]]:
    """Return the columns of each table that are printed, here or by others."""
    return {name: list(dict.fromkeys([*columns, *others.WANTED.get(name, ())])) for name, columns in PRINTED.items()}


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
