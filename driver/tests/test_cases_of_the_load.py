"""What users of load generators have run into: freezes, failures, deaths, warm-ups."""

import csv
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from loopfloor.judge.normalise import read_latency, tally_fates
from loopfloor.measure.load import Generator, Order
from loopfloor.measure.load.selftest import read_port, run_known_server
from loopfloor.model import OpenLoad
from loopfloor.record import find_run
from loopfloor.units import NS_PER_MS, NS_PER_S
from support.command import loopfloor, start_loopfloor
from support.disturbed import MAY_BE_DISTURBED
from support.plans import write_plan
from support.processes import find_child

pytestmark = MAY_BE_DISTURBED


def read_rows(results: Path, table: str) -> dict[str, dict[str, str]]:
    with (find_run(results, "latest").path / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return {row["case"]: row for row in csv.DictReader(file)}


@contextmanager
def faulty_target(fault: str) -> Iterator[str]:
    """Run the faulty target and yield its URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "support.faulty_target", "--fault", fault, "--port", str(port)]
    environment = os.environ | {"PYTHONPATH": "tests:../python_target"}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def run_faulty(tmp_path: Path, fault: str, **settings: float) -> tuple[int, dict[str, dict[str, str]]]:
    plan = write_plan(tmp_path, "faulty", **settings)
    with faulty_target(fault) as url:
        done = loopfloor(
            "run", "--stage", "url", "--targets", f"faulty={url}", "--plan", str(plan), "--results", str(tmp_path / "r")
        )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, read_rows(tmp_path / "r", "pair")


def test_a_freeze_of_4_s_in_10_reads_as_what_a_user_would_have_waited() -> None:
    """C11, wrk#99: frozen with SIGSTOP; p50 about 1 ms, p75 about 1.5 s, p99 about 3.9 s, all 1000 accounted for."""
    generator = Generator()
    with run_known_server("--delay-ms", "1") as process:
        port = read_port(process)
        freezes = [
            threading.Timer(3, process.send_signal, [signal.SIGSTOP]),
            threading.Timer(7, process.send_signal, [signal.SIGCONT]),
        ]
        for freeze in freezes:
            freeze.start()
        load = OpenLoad(route="/", rate_per_s=100, duration_s=10)
        requests = generator.run(Order("127.0.0.1", port, load, 15, 1024)).requests
        for freeze in freezes:
            freeze.join()
    generator.close()
    tally, latency = tally_fates(requests), read_latency(requests, requests.intended_ns)
    assert tally.intended == tally.ok == 1000
    assert latency is not None
    assert latency.p50 is not None
    assert latency.p99 is not None
    p75 = np.sort(requests.done_ns - requests.intended_ns)[749]
    assert latency.p50 < 5 * NS_PER_MS
    assert p75 == pytest.approx(1.5 * NS_PER_S, rel=0.05)
    assert latency.p99 == pytest.approx(3.9 * NS_PER_S, rel=0.05)


def test_every_kind_of_failure_is_counted_and_the_trial_is_not_ok(tmp_path: Path) -> None:
    """C17, TechEmpower#117: 5 % never answered, 2 % broken off, 3 % status 500."""
    code, rows = run_faulty(tmp_path, "mixed", timeout_s=1, block_s=6)
    assert code == 4
    for row in rows.values():
        fates = ("ok", "http_error", "timeout", "conn_error", "skipped", "unfinished")
        assert int(row["intended"]) == sum(int(row[fate]) for fate in fates)
    row = rows["block-x4"]
    assert min(int(row[fate]) for fate in ("ok", "http_error", "timeout", "conn_error")) > 0
    assert row["status"] == "failures"
    assert "failures" in row["doubts"].split(";")
    assert row["latency_max_ms"] == ""


def test_fast_failures_do_not_flatter_latency(tmp_path: Path) -> None:
    """C18, k6#1311."""
    code, rows = run_faulty(tmp_path, "half-500")
    assert code == 4
    row = rows["block-x4"]
    assert row["status"] == "failures"
    assert int(row["http_error"]) >= int(row["ok"]) - 4 > 0
    assert row["latency_p99_ms"] == row["latency_mean_ms"] == ""
    assert "p99" in row["lower_bounds"]
    assert float(row["latency_ok_p50_ms"]) >= 30


def test_a_warm_up_that_an_average_would_hide_is_named(tmp_path: Path) -> None:
    """C28, quarkus#633: five times slower for the first seconds."""
    _, rows = run_faulty(tmp_path, "slow-start", block_s=6)
    row = rows["block-x4"]
    assert "not_steady" in row["doubts"].split(";")
    assert float(row["duration_s"]) == pytest.approx(6 * 4 / 5)  # the first fifth is left out
    assert int(row["intended"]) > 0


def test_a_generator_that_dies_is_a_failed_trial_with_blanks_and_not_0_per_second(tmp_path: Path) -> None:
    """C19, granian."""
    plan = write_plan(tmp_path, "node", block_s=6)
    process = start_loopfloor("run", "--stage", "process", "--plan", str(plan), "--results", str(tmp_path / "r"))
    assert process.stdout is not None
    for line in process.stdout:
        if "noop-x1" in line:
            break
    time.sleep(2)
    os.kill(find_child(process.pid, "loopfloor.measure.load"), signal.SIGKILL)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 4
    row = read_rows(tmp_path / "r", "pair")["block-x4"]
    assert row["status"] == "failed"
    assert row["answered_per_s"] == row["latency_p50_ms"] == row["intended"] == ""
    assert "the load generator died in mid-trial (exit code -9)" in out
    assert read_rows(tmp_path / "r", "ramp")["ramp"]["status"] == "ok"


def test_arrivals_do_not_bunch_within_the_second(tmp_path: Path) -> None:
    """C23, locust#1281: at a steady rate the time between two sends is what it should be."""
    plan = write_plan(tmp_path, "node")
    done = loopfloor("run", "--stage", "process", "--plan", str(plan), "--results", str(tmp_path / "r"))
    assert done.returncode == 0, done.stdout + done.stderr
    deviation_ms = float(read_rows(tmp_path / "r", "ramp")["ramp"]["send_interval_deviation_ms"])
    assert deviation_ms < 2


TWINS = """
name = "twins"
rounds = 6
repeats = 2
targets = ["node", "twin", "third"]
aliases = { twin = "node", third = "node" }
warm_up_s = 0.1

[floor]
intervals_ms = [10]
idle_s = 0.15
traffic_s = 0.15
traffic_per_s = 100

[pair]
cells = [{ route = "/noop", connections = 1, duration_s = 0.15 }]

[[headlines]]
table = "pair"
case = "noop-x1"
column = "latency_p50_ms"

[[headlines]]
table = "pair"
case = "noop-x1"
column = "excess_p50_ms"

[[headlines]]
table = "floor"
case = "idle-10ms"
column = "gap_p99_ms"
"""


def test_a_target_is_not_faster_than_itself(tmp_path: Path) -> None:
    """C48, TechEmpower#992 and krausest#803: a third name of one target, six rounds, and nothing to tell."""
    plan = tmp_path / "twins.toml"
    plan.write_text(TWINS, encoding="utf-8")
    done = loopfloor("run", "--stage", "process", "--plan", str(plan), "--results", str(tmp_path / "r"))
    assert "Traceback" not in done.stderr
    path = find_run(tmp_path / "r", "latest").path / "claims.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 9
    assert {row["claim"] for row in rows} == {"not_resolved"}
    assert all(row["reason"] for row in rows)
    assert "not resolved" in done.stdout
