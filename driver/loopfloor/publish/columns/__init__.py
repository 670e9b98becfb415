"""The data dictionary: every column of every CSV, with its type and meaning.

A column once published keeps its name and meaning.
"""

from collections.abc import Mapping

from loopfloor.publish.columns.column import Columns, whole
from loopfloor.publish.columns.comparison import COMPARISON_TABLES
from loopfloor.publish.columns.run import MEDIANS, TARGETS, TRIALS
from loopfloor.publish.columns.scenarios import BURST, CALIBRATION, CLAIMS, INSTANCES, SATURATION, SHED, STALL
from loopfloor.publish.columns.shared import (
    DOUBTS,
    GAPS,
    IDEAL,
    KEY,
    LATENCY,
    LOAD,
    LOOP,
    NATIVE,
    NEGATIVE,
    OVER_INTERVAL,
    REQUESTS,
    TALLY,
    TRIAL,
    VERDICT,
    WORK,
)

__all__ = ["COMPARISON_TABLES", "KEYS", "TABLES"]

OPEN_WORK: Columns = KEY | LOAD | WORK | REQUESTS | IDEAL

TABLES: dict[str, Columns] = {
    "targets": TARGETS,
    "trials": TRIALS,
    "floor": KEY | LOAD | GAPS | OVER_INTERVAL | NEGATIVE | TALLY | LATENCY | TRIAL,
    "calibration": KEY | CALIBRATION | NATIVE | DOUBTS | VERDICT,
    "pair": KEY | LOAD | WORK | REQUESTS | LOOP | TRIAL,
    "ramp": KEY
    | {
        "second": whole("second of the ramp, from 0; with the key above the key of the row"),
        "nominal_ms": whole("what one request costs the loop in that second"),
        "bend_second": whole("first second whose latency p50 is 10 times its nominal work (at least 1 ms) or more"),
        "ideal_bend_second": whole("the same of the ideal lane"),
    }
    | LOAD
    | REQUESTS
    | IDEAL
    | LOOP
    | TRIAL,
    "burst": KEY | BURST | LOAD | REQUESTS | LOOP | TRIAL,
    "saturation": OPEN_WORK | SATURATION | LOOP | TRIAL,
    "stall": OPEN_WORK | STALL | LOOP | TRIAL,
    "shed": OPEN_WORK | SHED | LOOP | TRIAL,
    "instances": OPEN_WORK | INSTANCES | LOOP | TRIAL,
    "medians": MEDIANS,
    "claims": CLAIMS,
}

ROW_KEY = ("run_id", "round", "target", "trial")
KEYS: Mapping[str, tuple[str, ...]] = dict.fromkeys(TABLES, ROW_KEY) | {
    "ramp": (*ROW_KEY, "second"),
    "burst": (*ROW_KEY, "request"),
    "targets": ("run_id", "target"),
    "trials": ("run_id", "trial"),
    "medians": ("run_id", "table", "figure", "target"),
    "claims": ("run_id", "figure", "target_a", "target_b"),
}
