"""Which floor a reading stands against, and when there is none."""

from pathlib import Path

import numpy as np
import pytest

from loopfloor.derive import derive_tables
from loopfloor.model import Fate, OpenLoad, Requests, TrialRecord
from loopfloor.record import RunFolder
from loopfloor.units import NS_PER_MS
from support.arrays import START_NS, make_samples
from support.disturbed import MAY_BE_DISTURBED
from support.records import WINDOW, make_record, make_run

pytestmark = MAY_BE_DISTURBED

IDLE, TRAFFIC = "r1-node-floor-idle-10ms", "r1-node-floor-traffic"
LOAD = OpenLoad(route="/noop", rate_per_s=100, duration_s=1)


def make_traffic(fate: Fate = Fate.OK) -> tuple[TrialRecord, Requests]:
    record = make_record(TRAFFIC)
    trial = record.trial.model_copy(update={"load": LOAD})
    due = START_NS + np.arange(100, dtype=np.int64) * 10 * NS_PER_MS
    status = np.full(100, 200 if fate == Fate.OK else 500, dtype=np.int16)
    fates = np.full(100, fate, dtype=np.int8)
    requests = Requests(due, due, due + NS_PER_MS, status, fates, np.zeros(100, dtype=np.int8))
    return record.model_copy(update={"trial": trial}), requests


def make_floors(tmp_path: Path, fate: Fate = Fate.OK, process: int = 1) -> RunFolder:
    run = make_run(tmp_path, [])
    run.write_samples(IDLE, make_samples([10.0] * 101), WINDOW)
    run.append_trial(make_record(IDLE))
    record, requests = make_traffic(fate)
    run.write_samples(TRAFFIC, make_samples([10.5] * 96), WINDOW)
    run.write_requests(TRAFFIC, requests, WINDOW)
    run.append_trial(record.model_copy(update={"process": process}))
    return run


def test_the_traffic_floors_late_share_is_against_the_idle_floor(tmp_path: Path) -> None:
    """Each gap is 0.5 ms over the idle p50; against its own p50 nothing would be late."""
    idle, traffic = derive_tables(make_floors(tmp_path))["floor"]
    assert idle["late_share"] == 0
    assert traffic["late_share"] == pytest.approx(0.5 / 10.5, rel=0.02)


def test_traffic_that_failed_is_not_ok_and_is_no_floor(tmp_path: Path) -> None:
    run = make_floors(tmp_path, Fate.HTTP_ERROR)
    loaded = make_traffic()[0]
    trial = loaded.trial.model_copy(update={"id": "r1-node-ramp-ramp", "scenario": "ramp", "case": "ramp"})
    run.write_samples(trial.id, make_samples([10.0] * 101), WINDOW)
    run.write_requests(trial.id, make_traffic()[1], WINDOW)
    run.append_trial(loaded.model_copy(update={"trial": trial}))
    tables = derive_tables(run)
    assert tables["floor"][1]["status"] == "failures"
    (row,) = tables["ramp"]
    assert row["floor_p50_ms"] == 10
    assert row["floor_traffic_p50_ms"] is None


def test_a_floor_of_an_earlier_process_is_said(tmp_path: Path) -> None:
    _, traffic = derive_tables(make_floors(tmp_path, process=2))["floor"]
    assert "other_process" in str(traffic["doubts"]).split(";")


def test_without_a_floor_nothing_is_read_against_one(tmp_path: Path) -> None:
    run = make_run(tmp_path, [])
    record, requests = make_traffic()
    run.write_samples(TRAFFIC, make_samples([10.5] * 96), WINDOW)
    run.write_requests(TRAFFIC, requests, WINDOW)
    run.append_trial(record)
    (row,) = derive_tables(run)["floor"]
    assert row["late_share"] is None
    assert row["status"] == "inadmissible"
    assert "no_floor" in str(row["doubts"]).split(";")
