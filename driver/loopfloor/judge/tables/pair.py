"""`pair.csv`: one row per closed-loop cell, latency and loop delay side by side."""

from loopfloor.judge.normalise import count_per_s, tally_fates
from loopfloor.judge.steady import is_steady, leave_out_first
from loopfloor.judge.tables import parts
from loopfloor.judge.tables.loaded import finish, judge_loop, judge_requests, judge_trial
from loopfloor.judge.tables.reading import Context, Reading, Row


def make_rows(context: Context, reading: Reading) -> list[Row]:
    requests, span, doubts = reading.requests, reading.span, []
    if not is_steady(requests, span):
        doubts.append("not_steady")
        requests, span = leave_out_first(requests, span)
    loop_row, loop_doubts = judge_loop(context, reading, span)
    request_row, _, request_doubts = judge_requests(context, reading, requests)
    trial_row, trial_doubts = judge_trial(context, reading)
    doubts += [*loop_doubts, *request_doubts, *trial_doubts]
    row = parts.key_part(context, reading.record) | parts.load_part(reading, span)
    row |= {"answered_per_s": count_per_s(reading.requests, span)}
    row |= parts.cost_part(reading.record, context.floors.find_idle(reading.record), tally_fates(reading.requests).ok)
    return [finish(row | request_row | loop_row | trial_row, doubts)]
