"""What a finished `smoke` run on this machine must show, whatever the machine: structure and ratios.

Run after the main job: `docker compose run --rm --no-deps tests acceptance`.
"""

import csv
import os
import subprocess
from pathlib import Path

import pytest
from frictionless import Package

from loopfloor.record import RunFolder, find_run

TARGETS = {"asyncio", "uvloop", "node"}
FATES = ("ok", "http_error", "timeout", "conn_error", "skipped", "unfinished")
BLOCK_MS = 30
ROWS_EACH = {
    "floor": 4, "calibration": 6, "pair": 6, "ramp": 8, "burst": 10, "saturation": 8, "stall": 2, "shed": 5,
}  # fmt: skip
SUMMED = ("pair", "ramp", "burst", "saturation", "stall", "shed")

Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def run() -> RunFolder:
    return find_run(Path(os.environ.get("LOOPFLOOR_RESULTS", "/results")), "latest")


def read_rows(run: RunFolder, table: str, case: str = "") -> Rows:
    with (run.path / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if case in ("", row["case"])]


def test_the_run_is_complete_and_every_trial_of_every_target_is_ok(run: RunFolder) -> None:
    assert run.read_manifest().status == "complete"
    for table, rows_each in ROWS_EACH.items():
        rows = read_rows(run, table)
        assert {row["target"] for row in rows} == TARGETS
        assert len(rows) == rows_each * len(TARGETS)
        assert {row["status"] for row in rows} == {"ok"}


def test_every_file_belongs_to_the_owner_of_the_results(run: RunFolder) -> None:
    owner = run.path.parents[1].stat()
    for path in (run.path, *run.path.rglob("*")):
        found = path.stat()
        assert (found.st_uid, found.st_gid) == (owner.st_uid, owner.st_gid), path


def test_missing_is_blank_and_never_minus_one_or_not_a_number(run: RunFolder) -> None:
    for table in ROWS_EACH:
        for row in read_rows(run, table):
            assert not {"-1", "nan", "NaN", "inf", "None"} & set(row.values())


def test_the_sum_rule_holds_in_every_row(run: RunFolder) -> None:
    for row in (row for table in SUMMED for row in read_rows(run, table)):
        assert int(row["intended"]) == sum(int(row[fate]) for fate in FATES)


@pytest.mark.parametrize("interval_ms", [1, 10, 20])
def test_an_idle_floor_holds_the_interval_and_little_more(run: RunFolder, interval_ms: int) -> None:
    for row in read_rows(run, "floor", f"idle-{interval_ms}ms"):
        assert interval_ms <= float(row["gap_p50_ms"]) <= interval_ms + 1


def test_slow_waits_while_the_loop_stays_at_its_floor(run: RunFolder) -> None:
    for row in read_rows(run, "pair", "slow-x50"):
        assert float(row["latency_p50_ms"]) >= 300
        assert abs(float(row["times_floor_p50"]) - 1) < 0.1
        assert float(row["busy"]) < 0.5


def test_block_holds_the_loop_for_all_users_at_once(run: RunFolder) -> None:
    for row in read_rows(run, "pair", "block-x50"):
        assert float(row["answered_per_s"]) * BLOCK_MS / 1000 == pytest.approx(1, rel=0.1)
        assert float(row["gap_p99_ms"]) >= 46 * BLOCK_MS
        assert float(row["wait_p50_ms"]) >= 16 * BLOCK_MS
        assert float(row["wait_p50_upper_ms"]) > float(row["wait_p50_ms"])


def test_the_ramp_bends_where_a_full_lane_must(run: RunFolder) -> None:
    """At 200/s and 1 ms more a second the lane is full at second 5."""
    for row in read_rows(run, "ramp"):
        assert row["bend_second"] in {"4", "5", "6"}
        assert (row["firings"] == "0") == (row["loop_state"] == "stalled")


def test_every_row_has_a_verdict_with_a_sentence_and_a_next_step(run: RunFolder) -> None:
    for row in (row for table in ROWS_EACH for row in read_rows(run, table)):
        assert row["verdict"]
        assert row["because"]
        assert row["next_step"]


def test_of_ten_at_once_one_is_to_blame_and_those_behind_it_stood_in_its_queue(run: RunFolder) -> None:
    for target in TARGETS:
        rows = [row for row in read_rows(run, "burst") if row["target"] == target]
        (culprit,) = (row for row in rows if row["role"] == "culprit")
        assert culprit["route"] == "/block?ms=300"
        behind = [row for row in rows if float(row["done_ms"]) > float(culprit["done_ms"])]
        assert len(behind) >= 6
        assert {row["role"] for row in behind} == {"victim"}
        assert all(float(row["queueing_ms"]) >= 290 for row in behind)


def test_one_block_moves_the_counter_and_the_tail_and_little_else(run: RunFolder) -> None:
    for target in TARGETS:
        without, stalled = (row for row in read_rows(run, "stall") if row["target"] == target)
        assert int(stalled["stalls"]) >= int(without["stalls"]) + 1
        assert float(stalled["gap_max_ms"]) >= 500
        assert float(stalled["gap_p50_ms"]) == pytest.approx(float(without["gap_p50_ms"]), rel=0.2)


def test_a_loop_is_idle_at_its_floor_and_busy_past_capacity_and_the_knee_lies_between(run: RunFolder) -> None:
    for row in read_rows(run, "floor", "idle-10ms"):
        assert float(row["busy"]) < 0.1
    for target in TARGETS:
        rows = [row for row in read_rows(run, "saturation") if row["target"] == target]
        assert float(rows[-1]["busy"]) > 0.85
        assert float(rows[0]["busy"]) < 0.5
        (knee,) = {row["knee_per_s"] for row in rows}
        assert 200 <= float(knee) <= 500


def test_what_the_instant_rule_admits_keeps_its_latency(run: RunFolder) -> None:
    for target in TARGETS:
        rows = {row["case"]: row for row in read_rows(run, "shed") if row["target"] == target}
        assert int(rows["now"]["shed"]) > 0
        assert rows["open"]["shed"] == ""
        assert float(rows["now"]["latency_ok_p99_ms"]) < 0.25 * float(rows["open"]["latency_ok_p99_ms"])
        assert float(rows["now"]["answered_per_s"]) > 1.2 * float(rows["window"]["answered_per_s"])


def test_the_page_the_pictures_and_the_package_are_there_and_valid(run: RunFolder) -> None:
    page = (run.path / "report.html").read_text(encoding="utf-8")
    assert len(page.encode()) < 3_000_000
    assert run.run_id in page
    assert {path.stem.split("-")[0] for path in (run.path / "charts").glob("*.svg")} == {
        "floor", "calibration", "pair", "ramp", "burst", "saturation",
    }  # fmt: skip
    report = Package(str(run.path / "datapackage.json")).validate()
    assert report.valid, report.flatten(["rowNumber", "fieldName", "type", "note"])[:5]


def test_the_alert_rules_are_good_to_prometheus(run: RunFolder) -> None:
    subprocess.run(["promtool", "check", "rules", str(run.path / "alerts.rules.yml")], check=True)
