"""`alerts.rules.yml`: Prometheus rules whose thresholds come from this run's own floors and knees.

The template is one group of rules; each target has its own. It is checked before anything is written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from string import Template

import yaml

from loopfloor.units import s_from_ms

TEMPLATE = Path(__file__).with_name("alerts.template.yml")
HEAD = """\
# Alert rules of loopfloor run {run_id}. Thresholds are from that run's own figures: measure on the machine that is
# watched, and make them again when a runtime or a route changes. `job` is the target's name in scrape_configs.
groups:
"""
LATE_TIMES_KNEE = 1.5
LATE_TIMES_IDLE = 10
BUSY_WITHOUT_KNEE = 0.8

Value = str | int | float | None
Row = Mapping[str, Value]


@dataclass(frozen=True)
class Thresholds:
    """What the template is filled with; all as text."""

    target: str
    idle_lag_ms: str
    knee_lag_ms: str
    knee_per_s: str
    knee_busy: str
    lag_threshold_s: str
    lag_from: str
    busy_threshold: str
    busy_from: str


def format_alerts(run_id: str, tables: Mapping[str, Sequence[Row]], template: str | None = None) -> str:
    """Return the file. Raises ValueError where the template cannot be filled, or what it gives is no rules file."""
    text = TEMPLATE.read_text(encoding="utf-8") if template is None else template
    targets = list(dict.fromkeys(str(row["target"]) for row in tables.get("floor", ())))
    blocks = [fill(text, find_thresholds(target, tables)) for target in targets]
    whole = HEAD.format(run_id=run_id) + "\n".join(blocks) if blocks else HEAD.format(run_id=run_id).rstrip() + " []\n"
    check_rules(whole)
    return whole


def fill(template: str, thresholds: Thresholds) -> str:
    try:
        return Template(template).substitute(asdict(thresholds))
    except KeyError as error:
        known = ", ".join(f"${name}" for name in asdict(thresholds))
        raise ValueError(f"it names ${error.args[0]}; known are {known}") from None


def find_thresholds(target: str, tables: Mapping[str, Sequence[Row]]) -> Thresholds:
    """Read one target's idle lag and knee, of its first round; without a knee the idle floor has to do."""
    idle_ms = find_idle_lag_ms(target, tables.get("floor", ()))
    knee = find_knee(target, tables.get("saturation", ()))
    knee_lag_ms, knee_busy = read_lag_ms(knee), number(knee, "knee_busy")
    if knee_lag_ms is None:
        lag_ms, lag_from = LATE_TIMES_IDLE * (idle_ms or 1), f"No knee: the threshold is {LATE_TIMES_IDLE} times idle"
    else:
        lag_ms = max(LATE_TIMES_KNEE * knee_lag_ms, idle_ms or 0)
        lag_from = f"The threshold is {LATE_TIMES_KNEE} times the knee's"
    return Thresholds(
        target=target,
        idle_lag_ms=word(idle_ms),
        knee_lag_ms=word(knee_lag_ms),
        knee_per_s=word(number(knee, "knee_per_s")),
        knee_busy=word(knee_busy),
        lag_threshold_s=f"{s_from_ms(lag_ms):.4f}",
        lag_from=lag_from,
        busy_threshold=f"{BUSY_WITHOUT_KNEE if knee_busy is None else knee_busy:.2f}",
        busy_from="The threshold is that" if knee_busy is not None else "No knee was measured",
    )


def find_idle_lag_ms(target: str, rows: Sequence[Row]) -> float | None:
    lags = [read_lag_ms(row) for row in rows if row["target"] == target and row.get("loop") == "idle"]
    return max((lag for lag in lags if lag is not None), default=None)


def find_knee(target: str, rows: Sequence[Row]) -> Row:
    return next((row for row in rows if row["target"] == target and is_knee(row)), {})


def is_knee(row: Row) -> bool:
    return row.get("knee_per_s") is not None and row.get("rate_per_s") == row.get("knee_per_s")


def read_lag_ms(row: Row) -> float | None:
    return number(row, "over_interval_p99_ms")


def number(row: Row, name: str) -> float | None:
    value = row.get(name)
    return value if isinstance(value, int | float) else None


def word(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3g}"


def check_rules(text: str) -> None:
    """Raise ValueError for what is not YAML of the form that Prometheus reads."""
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"it is not YAML: {error}") from None
    groups = content.get("groups") if isinstance(content, dict) else None
    if not isinstance(groups, list) or not all(is_group(group) for group in groups):
        raise ValueError("it has to be a list of groups, each with a name and rules")


def is_group(group: object) -> bool:
    if not isinstance(group, dict) or not isinstance(group.get("name"), str):
        return False
    rules = group.get("rules")
    return isinstance(rules, list) and all(
        isinstance(rule, dict) and "expr" in rule and {"alert", "record"} & rule.keys() for rule in rules
    )
