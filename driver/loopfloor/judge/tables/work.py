"""The cells of every row at `/work`: the loop, the requests, the ideal lane, and what an answer cost."""

import re

import numpy as np

from loopfloor.judge.lane import idealise, serve_two_visits
from loopfloor.judge.normalise import count_per_s, read_latency, tally_fates
from loopfloor.judge.tables import parts
from loopfloor.judge.tables.loaded import judge_loop, judge_requests, judge_trial
from loopfloor.judge.tables.reading import Context, Reading, Row
from loopfloor.model import ClosedLoad, Int64s, OpenLoad, Requests, TimedLoad
from loopfloor.units import ns_from_ms

NUMBERS = re.compile(r"(\w+)=(\d+)")


def make_work_row(context: Context, reading: Reading) -> tuple[Row, list[str]]:
    """Return the row of a whole trial, and what is doubtful about it."""
    record, requests = reading.record, reading.requests
    loop_row, loop_doubts = judge_loop(context, reading, reading.span)
    request_row, latency, request_doubts = judge_requests(context, reading, requests)
    trial_row, trial_doubts = judge_trial(context, reading)
    row = parts.key_part(context, record) | parts.load_part(reading, reading.span)
    row |= {"answered_per_s": count_per_s(requests, reading.span)}
    row |= parts.cost_part(record, context.floors.find_idle(record), tally_fates(requests).ok)
    if not isinstance(record.trial.load, ClosedLoad):
        ideal = idealise_work(reading)
        row |= parts.ideal_part(latency, read_latency(ideal, ideal.intended_ns))
    return row | request_row | loop_row | trial_row, [*loop_doubts, *request_doubts, *trial_doubts]


def idealise_work(reading: Reading) -> Requests:
    """Return the trial's own arrivals as one perfect lane would have answered them, each with its nominal work."""
    route = reading.requests.route

    def serve(arrivals_ns: Int64s, chosen: Int64s) -> Int64s:
        works, waits = (nominal[route[chosen]] for nominal in list_nominal_ns(reading))
        return serve_two_visits(arrivals_ns, works, waits)

    return idealise(reading.requests, serve)


def list_nominal_ns(reading: Reading) -> tuple[Int64s, Int64s]:
    """Return what each of the load's routes burns and waits."""
    nominal = [read_nominal_ms(route) for route in list_routes(reading)]
    works, waits = (
        np.array([ns_from_ms(ms) for ms in column], dtype=np.int64) for column in zip(*nominal, strict=True)
    )
    return works, waits


def list_routes(reading: Reading) -> list[str]:
    """Return the routes of the load, in the order of their numbers in the raw file."""
    load = reading.record.trial.load
    first = [load.route] if isinstance(load, OpenLoad) else []
    sends = load.extra if isinstance(load, OpenLoad) else load.sends if isinstance(load, TimedLoad) else ()
    return list(dict.fromkeys([*first, *(send.route for send in sends)]))


def read_nominal_ms(route: str) -> tuple[int, int]:
    """Return what a route burns on the loop and waits beside it: `/block?ms=7` is (7, 0)."""
    numbers = {name: int(digits) for name, digits in NUMBERS.findall(route)}
    return numbers.get("cpu_ms", numbers.get("ms", 0)), numbers.get("io_ms", 0)
