"""`shed.csv`: a load far past capacity behind each door, beside the same route unloaded and at capacity."""

from loopfloor.judge.normalise import read_latency, select_requests
from loopfloor.judge.tables import parts
from loopfloor.judge.tables.loaded import SHED_STATUS, finish
from loopfloor.judge.tables.reading import Context, Reading, Row, divide, read_number
from loopfloor.judge.tables.work import make_work_row
from loopfloor.model import Fate

LIGHT, CAPACITY = "light", "capacity"


def make_rows(context: Context, reading: Reading) -> list[Row]:
    row, doubts = make_work_row(context, reading)
    refused = select_requests(reading.requests, reading.requests.status == SHED_STATUS)
    answered = refused.fate == Fate.HTTP_ERROR
    refused.fate[answered] = Fate.OK  # here a refusal is the answer that is timed
    row |= parts.latency_part("refusal", read_latency(refused, refused.intended_ns), ("p50", "p99"))
    admission = reading.record.trial.admission
    for name in ("lag_p99_ms", "busy", "lag_now_ms"):
        row[f"door_{name}"] = getattr(admission, name) if admission else None
    return [finish(row, doubts)]


def relate_rows(rows: list[Row]) -> None:
    """Add to the rows of one target and round how they stand to its capacity and to the unloaded tail."""
    by_case = {row["case"]: row for row in rows}
    capacity_per_s = read_number(by_case.get(CAPACITY, {}), "answered_per_s")
    light_ms = read_number(by_case.get(LIGHT, {}), "latency_ok_p99_ms")
    for row in rows:
        row["capacity_per_s"] = capacity_per_s
        row["offered_of_capacity"] = divide(read_number(row, "rate_per_s"), capacity_per_s)
        row["goodput_of_capacity"] = divide(read_number(row, "answered_per_s"), capacity_per_s)
        row["times_light_p99"] = divide(read_number(row, "latency_ok_p99_ms"), light_ms)
