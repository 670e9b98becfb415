"""The alert rules of a real run, watched by a real Prometheus: they fire where the loop is full, and only there.

About three minutes a target, so it has a command of its own: `docker compose run --build --rm tests tests/long`.
"""

import csv
import json
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from loopfloor.measure.fleet import Address, Stage
from loopfloor.measure.load import Generator, Order
from loopfloor.model import OpenLoad
from loopfloor.plan.scenarios import WORK
from loopfloor.record import RunFolder, find_run
from support.command import loopfloor
from support.ready import await_ready

CONFIG = Path(__file__).parents[2] / "monitor" / "prometheus.yml"
API = "http://127.0.0.1:9090/api/v1"
PLAN = """
name = "watch"
rounds = 1
targets = ["asyncio", "uvloop", "node"]
warm_up_s = 1.0

[floor]
intervals_ms = [10]
idle_s = 3.0
traffic_s = 1.0
traffic_per_s = 200

[saturation]
rates_per_s = [100, 150, 200, 250, 300, 350, 400, 450, 500]
duration_s = 3.0
"""
SHORTER = {"for: 2m": "for: 5s", "[1m]": "[10s]"}
FULL, BEARABLE = 0.85, 0.6
HELD_S = 30


@pytest.fixture(scope="module")
def run(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run that measured floors and knees."""
    folder = tmp_path_factory.mktemp("watch")
    (folder / "watch.toml").write_text(PLAN, encoding="utf-8")
    stage.close()
    done = loopfloor("run", "--stage", stage.name, "--plan", str(folder / "watch.toml"), "--results", str(folder))
    assert "Traceback" not in done.stderr, done.stderr
    return find_run(folder, "latest")


def choose_rates(run: RunFolder, target: str) -> tuple[float, float]:
    """Return the highest rate that keeps the loop at about 60 % and the lowest well past 85 %."""
    with (run.path / "saturation.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["target"] == target]
    busy = {float(row["rate_per_s"]): float(row["busy"]) for row in rows}
    bearable = [rate for rate, share in busy.items() if share <= BEARABLE + 0.03]
    full = [rate for rate, share in busy.items() if share > FULL]
    return max(bearable), max(full)


@contextmanager
def prometheus(folder: Path, rules: str, target: str, address: Address) -> Iterator[None]:
    config = yaml.safe_load(CONFIG.read_text(encoding="utf-8"))
    config["rule_files"] = [str(folder / "alerts.rules.yml")]
    (job,) = (job for job in config["scrape_configs"] if job["job_name"] == target)
    job["static_configs"] = [{"targets": [f"{address.host}:{address.port}"]}]
    config["scrape_configs"] = [job]
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    (folder / "alerts.rules.yml").write_text(rules, encoding="utf-8")
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            ["prometheus", f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}"],
            stdout=log,
            stderr=log,
        )
        try:
            yield
        finally:
            process.terminate()
            process.wait()


def query(path: str) -> Any:
    with urllib.request.urlopen(f"{API}/{path}", timeout=5) as answer:
        return json.load(answer)["data"]


def watch(seconds: float) -> list[set[str]]:
    """Return which alerts were firing, second by second."""
    readings = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(1)
        readings.append(
            {alert["labels"]["alertname"] for alert in query("alerts")["alerts"] if alert["state"] == "firing"}
        )
    return readings


def hold(address: Address, rate_per_s: float) -> list[set[str]]:
    """Hold a load, and return which alerts fired meanwhile."""
    load = OpenLoad(route=WORK, rate_per_s=rate_per_s, duration_s=HELD_S, arrivals="poisson", seed=5)
    generator = Generator()
    with ThreadPoolExecutor(1) as pool:
        pending = pool.submit(generator.run, Order(address.host, address.port, load, 15, 1024))
        readings = watch(HELD_S)
        pending.result()
    generator.close()
    return readings


@pytest.mark.parametrize("target", ["asyncio", "uvloop", "node"])
def test_the_lag_alert_fires_past_85_percent_busy_and_is_silent_at_60(
    stage: Stage, run: RunFolder, target: str, tmp_path: Path
) -> None:
    rules = (run.path / "alerts.rules.yml").read_text(encoding="utf-8")
    for long, short in SHORTER.items():
        assert long in rules
        rules = rules.replace(long, short)
    bearable_per_s, full_per_s = choose_rates(run, target)
    stage.stop_others(target)
    address = stage.start(target)
    await_ready(stage, target, address)
    try:
        with prometheus(tmp_path, rules, target, address):
            time.sleep(15)
            calm = hold(address, bearable_per_s)
            busy_at_60 = query("query?query=avg_over_time(event_loop_busy_ratio[25s])")["result"][0]["value"][1]
            time.sleep(5)
            full = hold(address, full_per_s)
            busy_past_85 = query("query?query=avg_over_time(event_loop_busy_ratio[25s])")["result"][0]["value"][1]
    finally:
        stage.stop(target)
    print(f"{target}: {bearable_per_s:g}/s busy {busy_at_60}: {calm}; {full_per_s:g}/s busy {busy_past_85}: {full}")
    assert not [alerts for alerts in calm if "EventLoopLate" in alerts]
    assert float(busy_past_85) > FULL
    first = next(second for second, alerts in enumerate(full, 1) if "EventLoopLate" in alerts)
    assert first <= 20  # a window of 10 s that has to fill, `for` of 5 s, and a scrape on either side
