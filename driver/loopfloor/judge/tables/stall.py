"""`stall.csv`: the same load without and with one long block: what moves, and what hardly does."""

from loopfloor.judge.tables.loaded import finish
from loopfloor.judge.tables.reading import Context, Reading, Row
from loopfloor.judge.tables.work import list_nominal_ns, make_work_row
from loopfloor.model import OpenLoad
from loopfloor.units import ms_from_ns


def make_rows(context: Context, reading: Reading) -> list[Row]:
    row, doubts = make_work_row(context, reading)
    load = reading.record.trial.load
    blocks = load.extra if isinstance(load, OpenLoad) else ()
    row["injected"] = len(blocks)
    row["injected_ms"] = ms_from_ns(int(list_nominal_ns(reading)[0].max())) if blocks else None
    return [finish(row, doubts)]
