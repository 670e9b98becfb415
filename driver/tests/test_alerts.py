"""The alert rules: from a run's own figures, good to Prometheus, and never half written."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from loopfloor.errors import UsageError
from loopfloor.publish.alerts import TEMPLATE, format_alerts
from loopfloor.report import publish
from support.arrays import make_samples
from support.command import loopfloor
from support.records import WINDOW, make_record, make_run

FLOOR = {"target": "node", "loop": "idle", "over_interval_p99_ms": 1.5}
KNEE = {"target": "node", "rate_per_s": 400.0, "knee_per_s": 400.0, "knee_busy": 0.87, "over_interval_p99_ms": 20.0}
PAST = {"target": "node", "rate_per_s": 450.0, "knee_per_s": 400.0, "knee_busy": 0.87, "over_interval_p99_ms": 90.0}
UP = {"a": 1, "b": 0}
TABLES = {"floor": [FLOOR], "saturation": [PAST, KNEE]}


def rules_of(text: str) -> dict[str, Any]:
    (group,) = yaml.safe_load(text)["groups"]
    return {rule.get("alert", rule.get("record")): rule for rule in group["rules"]}


def promtool(*arguments: str) -> str:
    done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_thresholds_come_from_the_knee_of_the_run() -> None:
    rules = rules_of(format_alerts("a-run", TABLES))
    assert rules["EventLoopLate"]["expr"].endswith("> 0.0300")  # one and a half times 20 ms
    assert rules["EventLoopBusy"]["expr"].endswith("> 0.87")
    assert rules["EventLoopLate"]["labels"]["severity"] == "page"
    assert rules["EventLoopBusy"]["labels"]["severity"] == "ticket"


def test_each_threshold_says_which_figures_it_is_from() -> None:
    text = format_alerts("a-run", TABLES)
    assert "# Alert rules of loopfloor run a-run." in text
    assert "# Lag p99: 1.5 ms idle, 20 ms at the knee (400 requests/s of /work). The threshold is 1.5 times the" in text
    assert "# Busy at the knee: 0.87. The threshold is that." in text


def test_without_a_knee_the_idle_floor_has_to_do_and_the_file_says_so() -> None:
    text = format_alerts("a-run", {"floor": [FLOOR]})
    assert rules_of(text)["EventLoopLate"]["expr"].endswith("> 0.0150")
    assert "No knee: the threshold is 10 times idle" in text


def test_a_run_without_any_floor_has_no_rules(tmp_path: Path) -> None:
    (tmp_path / "alerts.rules.yml").write_text(format_alerts("a-run", {}))
    promtool("check", "rules", str(tmp_path / "alerts.rules.yml"))


def test_prometheus_takes_the_rules_of_several_targets(tmp_path: Path) -> None:
    tables = {"floor": [FLOOR, FLOOR | {"target": "asyncio"}], "saturation": [KNEE]}
    (tmp_path / "alerts.rules.yml").write_text(format_alerts("a-run", tables))
    assert "12 rules found" in promtool("check", "rules", str(tmp_path / "alerts.rules.yml"))


def write_rules(folder: Path) -> None:
    """Write the rules without their annotations: promtool would compare the texts too."""
    content = yaml.safe_load(format_alerts("a-run", TABLES))
    for rule in content["groups"][0]["rules"]:
        rule.pop("annotations", None)
    (folder / "alerts.rules.yml").write_text(yaml.safe_dump(content))


def series(instance: str, late_per_step: int, busy: float) -> list[dict[str, str]]:
    """100 gaps a second scraped every 5 s, of which `late_per_step` a scrape lie between 50 and 100 ms."""
    labels = f'job="node",instance="{instance}"'
    counts = {"0.005": 500 - late_per_step, "0.05": 500 - late_per_step, "0.1": 500, "+Inf": 500}
    buckets = [
        {"series": f'event_loop_lag_seconds_bucket{{{labels},le="{le}"}}', "values": f"0+{count}x60"}
        for le, count in counts.items()
    ]
    return [*buckets, {"series": f"event_loop_busy_ratio{{{labels}}}", "values": f"{busy}+0x60"}]


def alert(name: str, severity: str, *instances: str) -> dict[str, Any]:
    labels = {"severity": severity, "target": "node", "job": "node"}
    return {
        "eval_time": "4m",
        "alertname": name,
        "exp_alerts": [{"exp_labels": labels | {"instance": instance}} for instance in instances],
    }


@pytest.mark.parametrize(
    ("late", "late_alerts", "outliers"),
    [
        ({"a": 0, "b": 0, "c": 0}, (), ()),
        ({"a": 20, "b": 20, "c": 20}, ("a", "b", "c"), ()),
        ({"a": 0, "b": 20, "c": 0}, ("b",), ("b",)),
        ({"b": 20}, ("b",), ()),  # one alone has no siblings to be an outlier of
    ],
)
def test_the_rules_fire_for_late_loops_and_name_the_one_instance(
    tmp_path: Path, late: dict[str, int], late_alerts: tuple[str, ...], outliers: tuple[str, ...]
) -> None:
    write_rules(tmp_path)
    inputs = [entry for instance, count in late.items() for entry in series(instance, count, busy=0.5)]
    tests = {
        "rule_files": ["alerts.rules.yml"],
        "evaluation_interval": "5s",
        "tests": [
            {
                "interval": "5s",
                "input_series": inputs,
                "alert_rule_test": [
                    alert("EventLoopLate", "page", *late_alerts),
                    alert("EventLoopOutlier", "page", *outliers),
                    alert("EventLoopBusy", "ticket"),
                ],
            }
        ],
    }
    (tmp_path / "tests.yml").write_text(yaml.safe_dump(tests))
    promtool("test", "rules", str(tmp_path / "tests.yml"))


def test_a_loop_that_is_too_late_for_its_own_scrape_is_an_alert_too(tmp_path: Path) -> None:
    write_rules(tmp_path)
    up = [{"series": f'up{{job="node",instance="{name}"}}', "values": f"{value}+0x60"} for name, value in UP.items()]
    case = {"interval": "5s", "input_series": up, "alert_rule_test": [alert("EventLoopSilent", "page", "b")]}
    tests = {"rule_files": ["alerts.rules.yml"], "evaluation_interval": "5s", "tests": [case]}
    (tmp_path / "tests.yml").write_text(yaml.safe_dump(tests))
    promtool("test", "rules", str(tmp_path / "tests.yml"))


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("  - name: $tarject\n    rules: []\n", "$tarject; known are $target"),
        ("  - name: $target\n    rules: [\n", "not YAML"),
        ("  - name: $target\n", "a name and rules"),
        ("  - name: $target\n    rules: [{alert: x}]\n", "a name and rules"),
        ("groups: 5", "groups"),
        ("  - name: $", "Invalid placeholder"),
    ],
)
def test_a_malformed_template_never_replaces_a_good_file(tmp_path: Path, template: str, said: str) -> None:
    run = make_run(tmp_path, [make_record("r1-node-floor-idle-10ms")])
    run.write_samples("r1-node-floor-idle-10ms", make_samples([10.2] * 97), WINDOW)
    publish(run)
    before = {path.name: path.read_bytes() for path in run.path.iterdir() if path.is_file()}
    with pytest.raises(UsageError) as caught:
        publish(run, alerts_template=template)
    assert said in str(caught.value)
    assert {path.name: path.read_bytes() for path in run.path.iterdir() if path.is_file()} == before


def test_a_template_of_ones_own_is_kept_and_verified(tmp_path: Path) -> None:
    run = make_run(tmp_path, [make_record("r1-node-floor-idle-10ms")])
    run.write_samples("r1-node-floor-idle-10ms", make_samples([10.2] * 97), WINDOW)
    own = tmp_path / "own.yml"
    own.write_text(TEMPLATE.read_text(encoding="utf-8").replace("for: 2m", "for: 7m"), encoding="utf-8")
    done = loopfloor("report", run.run_id, "--results", str(tmp_path), "--alerts", str(own))
    assert done.returncode == 0, done.stderr
    assert "for: 7m" in (run.path / "alerts.rules.yml").read_text()
    assert loopfloor("verify", run.run_id, "--results", str(tmp_path)).returncode == 0
    missing = loopfloor("report", run.run_id, "--results", str(tmp_path), "--alerts", str(tmp_path / "no.yml"))
    assert missing.returncode == 2
    assert "cannot be read" in missing.stderr
