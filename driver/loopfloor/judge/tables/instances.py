"""`instances.csv`: one row per instance of a target under equal load at the same time."""

from statistics import median

from loopfloor.judge.tables.loaded import add_verdict, finish
from loopfloor.judge.tables.reading import Context, Reading, Row, read_number
from loopfloor.judge.tables.work import make_work_row
from loopfloor.model import OpenLoad


def make_rows(context: Context, reading: Reading) -> list[Row]:
    row, doubts = make_work_row(context, reading)
    trial = reading.record.trial
    row["instance"] = trial.instance
    row["injected"] = len(trial.load.extra) if isinstance(trial.load, OpenLoad) else None
    return [finish(row, doubts)]


def relate_rows(rows: list[Row]) -> None:
    """Add what the siblings read, and judge each row again beside them."""
    for row in rows:
        others = [read_number(other, "gap_p99_ms") for other in rows if other is not row]
        known = [value for value in others if value is not None]
        row["siblings_gap_p99_ms"] = median(known) if known else None
        row.update(add_verdict(row))
