"""Whole runs on the process stage: what lands in the folder, and what happens when something breaks."""

import csv
import json
import os
import signal
import socket
import subprocess
import time
from pathlib import Path
from subprocess import Popen

import pytest

from loopfloor.publish.columns import TABLES
from loopfloor.record import find_run
from support.command import SOURCE, loopfloor, start_loopfloor
from support.disturbed import MAY_BE_DISTURBED
from support.plans import write_plan
from support.processes import find_child

pytestmark = MAY_BE_DISTURBED


def read_rows(results: Path, table: str) -> list[dict[str, str]]:
    with (find_run(results, "latest").path / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One whole run of the three targets."""
    folder = tmp_path_factory.mktemp("whole")
    plan = write_plan(folder, "asyncio", "uvloop", "node")
    done = loopfloor("run", "--stage", "process", "--plan", str(plan), "--results", str(folder / "results"))
    assert done.returncode == 0, done.stderr + done.stdout
    (folder / "output.txt").write_text(done.stdout)
    return folder / "results"


def test_a_run_leaves_a_table_per_scenario_with_rows_of_every_target(results: Path) -> None:
    for table, rows_each in (("floor", 2), ("pair", 2), ("ramp", 2)):
        rows = read_rows(results, table)
        assert list(rows[0]) == list(TABLES[table])
        assert [row["target"] for row in rows].count("node") == rows_each
        assert {row["target"] for row in rows} == {"asyncio", "uvloop", "node"}
        assert {row["status"] for row in rows} == {"ok"}


def test_every_figure_is_there_and_unknown_is_never_minus_one(results: Path) -> None:
    may_be_blank = {
        "latency_p999_ms", "rate_per_s", "connections", "lower_bounds", "achieved_share", "doubts", "bend_second",
        "ideal_bend_second", "send_interval_deviation_ms", "shed",
    }  # fmt: skip
    for table in ("pair", "ramp"):
        for row in read_rows(results, table):
            blank = {name for name, value in row.items() if value == "" and not name.startswith("native_")}
            assert blank <= may_be_blank, (row["target"], row["case"], blank - may_be_blank)
            assert "-1" not in row.values()
            assert (row["native_count"] != "") == (row["target"] == "node")


def test_readings_floors_and_differences_stand_side_by_side(results: Path) -> None:
    floors = {row["target"]: row for row in read_rows(results, "floor") if row["case"] == "idle-10ms"}
    for row in read_rows(results, "pair"):
        assert row["floor_p50_ms"] == floors[row["target"]]["gap_p50_ms"]
        excess = float(row["gap_p50_ms"]) - float(row["floor_p50_ms"])
        assert float(row["excess_p50_ms"]) == pytest.approx(excess, rel=1e-5, abs=1e-3)
        assert float(row["over_interval_p50_ms"]) == pytest.approx(float(row["gap_p50_ms"]) - 10, rel=1e-5, abs=1e-3)


def test_a_blocking_route_shows_in_loop_and_latency_and_the_sum_rule_holds(results: Path) -> None:
    for row in read_rows(results, "pair"):
        fates = ("ok", "http_error", "timeout", "conn_error", "skipped", "unfinished")
        assert int(row["intended"]) == sum(int(row[fate]) for fate in fates)
        if row["case"] == "block-x4":
            assert float(row["answered_per_s"]) == pytest.approx(1000 / 30, rel=0.25)
            assert float(row["gap_max_ms"]) > 3 * float(row["floor_max_ms"])
            assert float(row["busy"]) > 0.8, row


def test_the_manifest_says_what_ran_where(results: Path) -> None:
    manifest = json.loads((find_run(results, "latest").path / "manifest.json").read_text())
    assert manifest["status"] == "complete"
    assert manifest["host"]["path"] == "loopback"
    assert manifest["targets"]["uvloop"]["versions"]["uvloop"]
    assert manifest["targets"]["node"]["versions"]["uv"]
    assert {name: info["loop"] for name, info in manifest["targets"].items()} == {
        "asyncio": "asyncio",
        "uvloop": "uvloop",
        "node": "node",
    }
    assert manifest["host"]["clock_source"]
    assert manifest["source"]["revision"] or manifest["source"]["reason"]
    assert manifest["isolation"]["mode"] in {"affinity", "shared"}


def test_the_output_is_a_line_per_trial_the_tables_and_the_place(results: Path) -> None:
    output = (results.parent / "output.txt").read_text()
    for number in range(1, 16):
        assert f"{number:2d} of 15" in output
    assert "Pair: latency and loop delay" in output
    assert output.strip().splitlines()[-1] == f"page: results/runs/{find_run(results, 'latest').run_id}/report.html"


def test_report_makes_the_same_files_again(results: Path) -> None:
    run = find_run(results, "latest")
    names = ("floor.csv", "pair.csv", "ramp.csv", "summary.md")
    before = {name: (run.path / name).read_bytes() for name in names}
    for name in names:
        (run.path / name).unlink()
    assert loopfloor("report", "latest", "--results", str(results)).returncode == 0
    assert {name: (run.path / name).read_bytes() for name in names} == before


def run_broken(tmp_path: Path, block_s: float) -> Popen[str]:
    plan = write_plan(tmp_path, "node", block_s=block_s, timeout_s=2)
    return start_loopfloor("run", "--stage", "process", "--plan", str(plan), "--results", str(tmp_path / "results"))


def await_line(process: Popen[str], word: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if word in line:
            return
    raise AssertionError(f"{word} was never printed")


def test_a_target_killed_in_mid_trial_fails_that_trial_and_the_rest_goes_on(tmp_path: Path) -> None:
    process = run_broken(tmp_path, block_s=3)
    await_line(process, "noop-x1")
    time.sleep(1)
    os.kill(find_child(process.pid, "src/main.js"), signal.SIGKILL)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 4, out
    rows = {row["case"]: row for row in read_rows(tmp_path / "results", "pair")}
    assert rows["block-x4"]["status"] == "failed"
    assert rows["block-x4"]["latency_p50_ms"] == rows["block-x4"]["gap_p50_ms"] == ""
    assert {row["status"] for row in read_rows(tmp_path / "results", "ramp")} == {"ok"}
    assert "block-x4 failed: " in out
    assert "exit code -9" in out


def test_an_interrupted_run_keeps_what_was_done_and_says_so(tmp_path: Path) -> None:
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        process = run_broken(tmp_path, block_s=6)
        await_line(process, "noop-x1")
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        assert process.returncode == code
        assert "what was done is kept" in err
        assert "interrupted: 3 of 5 trials were done" in out
        run = find_run(tmp_path / "results", "latest")
        assert run.read_manifest().status == "interrupted"
        assert [record.trial.case for record in run.read_trials()] == ["idle-10ms", "traffic", "noop-x1"]
        assert len(read_rows(tmp_path / "results", "floor")) == 2
        assert "interrupted: 3 of 5 trials were done" in (run.path / "summary.md").read_text()
        time.sleep(1.1)


def test_a_target_restarted_within_a_trial_fails_it(tmp_path: Path) -> None:
    """The same address answers again, from another process: its figures would be of half a trial."""
    plan = write_plan(tmp_path, "moving", block_s=3)
    command = ["node", str(SOURCE / "node_target/src/main.js"), "--host", "127.0.0.1", "--port"]
    environment = os.environ | {"UV_THREADPOOL_SIZE": "4"}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    first = subprocess.Popen([*command, str(port)], env=environment)
    run = start_loopfloor(
        "run", "--stage", "url", "--targets", f"moving=http://127.0.0.1:{port}", "--plan", str(plan),
        "--results", str(tmp_path / "results"),
    )  # fmt: skip
    await_line(run, "noop-x1")
    time.sleep(1)
    first.kill()
    first.wait()
    second = subprocess.Popen([*command, str(port)], env=environment)
    out, _ = run.communicate(timeout=120)
    second.kill()
    second.wait()
    assert run.returncode == 4
    row = next(row for row in read_rows(tmp_path / "results", "pair") if row["case"] == "block-x4")
    assert row["status"] == "failed"
    assert row["gap_p50_ms"] == row["busy"] == ""
    assert "restarted meanwhile" in out
