"""`burst.csv`: one row per request of a burst, and the tally: who was slow, who is to blame, who stood behind."""

import numpy as np

from loopfloor.judge.normalise import Span
from loopfloor.judge.tables import parts
from loopfloor.judge.tables.loaded import finish, judge_loop, judge_requests, judge_trial
from loopfloor.judge.tables.reading import Context, Reading, Row
from loopfloor.judge.tables.work import idealise_work, list_nominal_ns, list_routes
from loopfloor.model import Fate
from loopfloor.units import ms_from_ns, ns_from_ms

SLOW_TIMES_QUICKEST = 10
OWN_SHARE = 0.5  # a slow request that spent this much of its latency on its own work is to blame

CULPRIT, VICTIM, QUICK = "culprit", "victim", "quick"


def make_rows(context: Context, reading: Reading) -> list[Row]:
    record, requests = reading.record, reading.requests
    span = Span(reading.window.start_ns, max(reading.window.end_ns, reading.window.drained_ns))
    loop_row, loop_doubts = judge_loop(context, reading, span)
    request_row, _, request_doubts = judge_requests(context, reading, requests)
    trial_row, trial_doubts = judge_trial(context, reading)
    shared = parts.key_part(context, record) | parts.load_part(reading, span) | request_row | loop_row | trial_row
    shared |= {"budget_ms": context.plan.budget_ms} | tally_roles(context, reading)
    doubts = [*loop_doubts, *request_doubts, *trial_doubts]
    routes, works_ns = list_routes(reading), list_nominal_ns(reading)[0]
    ideal, roles, taken = idealise_work(reading), assign_roles(reading), read_taken_ms(reading)
    rows = []
    for index in range(len(requests)):
        route = int(requests.route[index])
        row = shared | {
            "request": index + 1,
            "route": routes[route],
            "role": roles[index],
            "status_code": int(requests.status[index]) or None,
            "sent_ms": since(reading, requests.sent_ns[index]),
            "done_ms": since(reading, requests.done_ns[index]),
            "ideal_done_ms": since(reading, ideal.done_ns[index]),
        }
        taken_ms, own_ms = taken[index], ms_from_ns(int(works_ns[route]))
        row |= {"taken_ms": taken_ms, "own_work_ms": own_ms}
        row["queueing_ms"] = None if taken_ms is None else taken_ms - own_ms
        rows.append(finish(row, doubts))
    return rows


def since(reading: Reading, at_ns: int) -> float | None:
    """Return ms since the first request was due; None where that never happened."""
    return ms_from_ns(int(at_ns - reading.requests.intended_ns[0])) if at_ns > 0 else None


def read_taken_ms(reading: Reading) -> list[float | None]:
    """Return each request's latency from its intended send; None where there was no answer."""
    requests = reading.requests
    taken = (requests.done_ns - requests.intended_ns).tolist()
    return [ms_from_ns(ns) if fate == Fate.OK else None for ns, fate in zip(taken, requests.fate.tolist(), strict=True)]


def assign_roles(reading: Reading) -> list[str | None]:
    """A request is slow at 10 times the quickest of its burst, and no less than the ruler's own interval."""
    taken_ms, works_ns = read_taken_ms(reading), list_nominal_ns(reading)[0]
    quickest_ms = min((ms for ms in taken_ms if ms is not None), default=0.0)
    slow_ms = max(SLOW_TIMES_QUICKEST * quickest_ms, reading.record.trial.interval_ms)

    def assign(taken: float | None, route: int) -> str | None:
        if taken is None:
            return None
        if taken < slow_ms:
            return QUICK
        return CULPRIT if works_ns[route] >= OWN_SHARE * ns_from_ms(taken) else VICTIM

    return [assign(taken, route) for taken, route in zip(taken_ms, reading.requests.route.tolist(), strict=True)]


def tally_roles(context: Context, reading: Reading) -> Row:
    roles = assign_roles(reading)
    taken = np.array([ms for ms in read_taken_ms(reading) if ms is not None])
    return {
        "slow": roles.count(CULPRIT) + roles.count(VICTIM),
        "culprits": roles.count(CULPRIT),
        "victims": roles.count(VICTIM),
        "over_budget_requests": int((taken > context.plan.budget_ms).sum()),
    }
