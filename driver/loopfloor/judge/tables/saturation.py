"""`saturation.csv`: one row per rate, and the knee: the highest rate that one loop still carries."""

from statistics import median

from loopfloor.judge.tables.loaded import finish
from loopfloor.judge.tables.reading import Context, Reading, Row, divide, read_number
from loopfloor.judge.tables.work import make_work_row
from loopfloor.units import ms_from_s, s_from_ms

KNEE_TIMES_UNLOADED = 5  # of the latency p99 at the lowest rate


def make_rows(context: Context, reading: Reading) -> list[Row]:
    row, doubts = make_work_row(context, reading)
    row["arrivals_per_s"] = divide(read_number(row, "intended"), read_number(row, "duration_s"))
    row["knee_limit_times"] = KNEE_TIMES_UNLOADED
    return [finish(row, doubts)]


def relate_rows(rows: list[Row]) -> None:
    """Add to the rows of one target and round what only all of them together say."""
    measured = [row for row in rows if row.get("latency_p99_ms") is not None]
    measured.sort(key=lambda row: read_number(row, "rate_per_s") or 0)
    unloaded = measured[0] if measured else {}
    unloaded_ms = read_number(unloaded, "latency_p99_ms")
    carried = [
        row for row in measured if unloaded_ms is not None and is_carried(row, KNEE_TIMES_UNLOADED * unloaded_ms)
    ]
    knee = carried[-1] if carried else {}
    costs_ms = [cost for row in carried or measured[:1] if (cost := read_number(row, "cost_ms")) is not None]
    cost_ms = median(costs_ms) if costs_ms else None
    for row in rows:
        row["unloaded_p99_ms"] = unloaded_ms
        row["expected_busy"] = expect_busy(row, cost_ms)
        row["knee_per_s"] = knee.get("rate_per_s")
        row["knee_busy"] = knee.get("busy")


def is_carried(row: Row, limit_ms: float) -> bool:
    """Whether every request was answered, the tail stays under the limit, and the queue was gone as soon."""
    latency_ms, drain_s = read_number(row, "latency_p99_ms"), read_number(row, "drain_s")
    if latency_ms is None or drain_s is None or row["ok"] != row["intended"]:
        return False
    return max(latency_ms, ms_from_s(drain_s)) <= limit_ms


def expect_busy(row: Row, cost_ms: float | None) -> float | None:
    """Return min(1, idle busy + the requests at what one costs, as a share of the same time)."""
    intended, idle, over_s = (read_number(row, name) for name in ("intended", "floor_busy", "busy_over_s"))
    if intended is None or cost_ms is None or idle is None or not over_s:
        return None
    return min(1.0, idle + intended * s_from_ms(cost_ms) / over_s)
