"""What a finished `smoke` run on this machine must show, whatever the machine: structure and ratios.

Run after the main job: `docker compose run --rm --no-deps tests acceptance`.
"""

import csv
import os
from pathlib import Path

import pytest

from loopfloor.record import RunFolder, find_run

TARGETS = {"asyncio", "uvloop", "node"}
FATES = ("ok", "http_error", "timeout", "conn_error", "skipped", "unfinished")
BLOCK_MS = 30

Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def run() -> RunFolder:
    return find_run(Path(os.environ.get("LOOPFLOOR_RESULTS", "/results")), "latest")


def read_rows(run: RunFolder, table: str, case: str = "") -> Rows:
    with (run.path / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if case in ("", row["case"])]


def test_the_run_is_complete_and_every_trial_of_every_target_is_ok(run: RunFolder) -> None:
    assert run.read_manifest().status == "complete"
    for table, rows_each in (("floor", 4), ("pair", 6), ("ramp", 8)):
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
    for table in ("floor", "pair", "ramp"):
        for row in read_rows(run, table):
            assert not {"-1", "nan", "NaN", "inf", "None"} & set(row.values())


def test_the_sum_rule_holds_in_every_row(run: RunFolder) -> None:
    for row in read_rows(run, "pair") + read_rows(run, "ramp"):
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
