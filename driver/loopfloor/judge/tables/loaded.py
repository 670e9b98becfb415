"""What a row of any loaded scenario says: the loop against its floors, and the requests beside it."""

from loopfloor.judge.doubts import (
    doubt_conditions,
    doubt_floor,
    doubt_generator,
    doubt_requests,
    doubt_samples,
    join_doubts,
    judge_status,
)
from loopfloor.judge.generator import read_generator
from loopfloor.judge.normalise import (
    LatencyFigures,
    Span,
    read_busy,
    read_gaps,
    read_latency,
    read_lateness,
    select_ok,
    tally_fates,
)
from loopfloor.judge.tables import parts
from loopfloor.judge.tables.reading import Context, Reading, Row, Value
from loopfloor.judge.verdict import judge, read_symptoms
from loopfloor.model import ClosedLoad, Fate, OpenLoad, Requests, TrialRecord
from loopfloor.units import ns_from_ms

POOL_ROUTE = "/hash-async"
SHED_STATUS = 503


def judge_loop(context: Context, reading: Reading, span: Span) -> tuple[Row, list[str]]:
    """Return the loop-delay cells of one span, and what is doubtful about them."""
    record = reading.record
    floor, traffic = context.floors.find_idle(record), context.floors.find_traffic(record)
    gaps = read_gaps(reading.samples, span)
    budget_ns = ns_from_ms(context.plan.budget_ms)
    lateness = read_lateness(reading.samples, span, floor.gaps.p50, budget_ns) if floor else None
    row = parts.gap_part(gaps) | parts.floor_part(gaps, floor, traffic)
    row |= parts.over_interval_part(gaps, record.trial.interval_ms)
    row |= parts.lateness_part(lateness, floor, context.plan.budget_ms)
    row["loop_state"] = "no_data" if gaps is None else "stalled" if gaps.firings == 0 else "sampled"
    return row, [*doubt_samples(gaps, record.samples_dropped), *doubt_floor(record, floor)]


def judge_requests(
    context: Context, reading: Reading, requests: Requests
) -> tuple[Row, LatencyFigures | None, list[str]]:
    """Return the request cells, the latency, and what is doubtful. Response time, service time, and ok only."""
    is_closed = isinstance(reading.record.trial.load, ClosedLoad)
    tally = tally_fates(requests)
    latency = read_latency(requests, requests.intended_ns)
    ok = select_ok(requests)
    noop = context.floors.find_noop(reading.record)
    row = parts.tally_part(tally) | parts.latency_part("latency", latency)
    row |= {
        "latency_from": "send" if is_closed else "intended_send",
        "latency_count": latency.count if latency else 0,
        "lower_bounds": ";".join(latency.lower_bounds) if latency else None,
        "latency_floor_p50_ms": parts.to_ms(noop.p50) if noop else None,
    }
    row |= parts.latency_part("latency_ok", read_latency(ok, ok.intended_ns), ("mean", "p50", "p99"))
    shed = count_shed(reading, requests)
    row["shed"] = shed
    row |= parts.latency_part("service", read_latency(requests, requests.sent_ns), ("mean", "p50", "p99", "max"))
    return row, latency, list(doubt_requests(tally, latency, shed or 0))


def judge_trial(context: Context, reading: Reading) -> tuple[Row, list[str]]:
    """Return the cells that describe the trial as a whole: busy, native monitor, conditions, generator."""
    record, requests = reading.record, reading.requests
    busy = read_busy(record.before, record.after, record.busy_source) if record.before and record.after else None
    generator = read_generator(record, requests)
    row = parts.busy_part(busy) | parts.native_part(record.native) | parts.conditions_part(record)
    row |= parts.generator_part(generator)
    doubts = list(
        doubt_conditions(record, pool_shares_core=record.trial.target in context.one_core and uses_pool(record))
    )
    if generator is not None:
        carried = context.carried.allows(record.trial.load)
        ok = select_ok(requests)
        latency = read_latency(ok, ok.intended_ns)
        doubts += doubt_generator(generator, latency, record.generator_throttled_periods, carried=carried)
    return row, doubts


def count_shed(reading: Reading, requests: Requests) -> int | None:
    """Return how many the door refused; None where it was open."""
    if reading.record.trial.admission is None:
        return None
    return int(((requests.fate == Fate.HTTP_ERROR) & (requests.status == SHED_STATUS)).sum())


def uses_pool(record: TrialRecord) -> bool:
    load = record.trial.load
    return isinstance(load, ClosedLoad | OpenLoad) and load.route.startswith(POOL_ROUTE)


def finish(row: Row, doubts: list[str], **symptoms: Value) -> Row:
    """Add what the doubts mean for the row as a whole, and the verdict; `symptoms` are those that are no cells."""
    row |= {"status": judge_status(doubts), "doubts": join_doubts(doubts)}
    return row | add_verdict(row, **symptoms)


def add_verdict(row: Row, **symptoms: Value) -> Row:
    verdict = judge(read_symptoms(row, **symptoms))
    return {"verdict": verdict.code, "because": verdict.sentence, "next_step": verdict.next_step}


def fail_row(context: Context, record: TrialRecord) -> Row:
    """A failed trial has a key and a status, and no figure."""
    row = parts.key_part(context, record)
    return row | add_verdict(row)
