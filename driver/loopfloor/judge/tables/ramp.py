"""`ramp.csv`: one row per second, requests by intended send and the loop by sample time."""

from collections.abc import Sequence

from loopfloor.judge.lane import idealise, serve_fifo
from loopfloor.judge.normalise import Span, read_latency, select_requests
from loopfloor.judge.tables import parts
from loopfloor.judge.tables.loaded import finish, judge_loop, judge_requests, judge_trial
from loopfloor.judge.tables.reading import Context, Reading, Row
from loopfloor.model import Requests
from loopfloor.units import NS_PER_S, ns_from_ms

NOMINAL_LIMIT_MS = 20
BEND_TIMES_NOMINAL = 10
BEND_LEAST_NOMINAL_MS = 1


def make_rows(context: Context, reading: Reading) -> list[Row]:
    start_ns = reading.window.start_ns
    seconds = range((reading.window.end_ns - start_ns) // NS_PER_S)
    spans = [Span(start_ns + second * NS_PER_S, start_ns + (second + 1) * NS_PER_S) for second in seconds]
    measured = [select_intended(reading.requests, span) for span in spans]
    ideal = [select_intended(idealise_ramp(reading.requests, start_ns), span) for span in spans]
    trial_row, trial_doubts = judge_trial(context, reading)
    shared = parts.key_part(context, reading.record) | parts.load_part(reading, reading.span) | trial_row
    shared |= {"bend_second": find_bend_second(measured), "ideal_bend_second": find_bend_second(ideal)}
    rows = []
    for second, span in zip(seconds, spans, strict=True):
        loop_row, loop_doubts = judge_loop(context, reading, span)
        request_row, latency, request_doubts = judge_requests(context, reading, measured[second])
        ideal_latency = read_latency(ideal[second], ideal[second].intended_ns)
        row = shared | {"second": second, "nominal_ms": nominal_ms(second)} | request_row | loop_row
        row |= parts.ideal_part(latency, ideal_latency)
        rows.append(finish(row, [*loop_doubts, *request_doubts, *trial_doubts], cost_ms=nominal_ms(second), busy=None))
    return rows


def nominal_ms(second: int) -> int:
    """Return what one request costs the lane in that second."""
    return min(NOMINAL_LIMIT_MS, second)


def idealise_ramp(requests: Requests, start_ns: int) -> Requests:
    """The work of a request is decided when it starts, by the whole seconds since the reset."""

    def work(started_ns: int) -> int:
        return ns_from_ms(nominal_ms((started_ns - start_ns) // NS_PER_S))

    return idealise(requests, lambda arrivals_ns, _: serve_fifo(arrivals_ns, work))


def select_intended(requests: Requests, span: Span) -> Requests:
    return select_requests(requests, (requests.intended_ns >= span.start_ns) & (requests.intended_ns < span.end_ns))


def find_bend_second(by_second: Sequence[Requests]) -> int | None:
    """Return the first second whose latency p50 is 10 times its nominal work (at least 1 ms) or more."""
    for second, requests in enumerate(by_second):
        latency = read_latency(requests, requests.intended_ns)
        limit_ns = BEND_TIMES_NOMINAL * ns_from_ms(max(BEND_LEAST_NOMINAL_MS, nominal_ms(second)))
        if latency is not None and (latency.p50 is None or latency.p50 >= limit_ns):
            return second
    return None
