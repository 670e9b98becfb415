"""`pair.csv`: one row per closed-loop cell, latency and loop delay side by side."""

from loopfloor.judge.normalise import count_per_s
from loopfloor.judge.tables import parts
from loopfloor.judge.tables.loaded import judge_loop, judge_requests, judge_trial
from loopfloor.judge.tables.reading import Context, Reading, Row
from loopfloor.judge.verdict import join_doubts
from loopfloor.model import ClosedLoad

POOL_ROUTE = "/hash-async"


def make_rows(context: Context, reading: Reading) -> list[Row]:
    load = reading.record.trial.load
    assert isinstance(load, ClosedLoad)
    loop_row, loop_doubts = judge_loop(context, reading, reading.span)
    request_row, latency, request_doubts = judge_requests(context, reading, reading.requests)
    trial_row, trial_doubts = judge_trial(reading, latency)
    doubts = [*loop_doubts, *request_doubts, *trial_doubts]
    if load.route.startswith(POOL_ROUTE) and context.one_core:
        doubts.append("pool_shares_core")
    row = parts.key_part(context, reading.record) | parts.load_part(reading)
    row |= {"answered_per_s": count_per_s(reading.requests, reading.span)}
    return [row | request_row | loop_row | trial_row | {"doubts": join_doubts(doubts)}]
