"""`floor.csv`: one row per idle interval and one under harmless traffic, per round and target."""

from loopfloor.judge.generator import read_generator
from loopfloor.judge.normalise import read_busy, read_gaps, read_latency, read_lateness, tally_fates
from loopfloor.judge.tables import parts
from loopfloor.judge.tables.reading import Context, Reading, Row
from loopfloor.judge.verdict import doubt_generator, doubt_requests, doubt_samples, join_doubts


def make_rows(context: Context, reading: Reading) -> list[Row]:
    record, requests = reading.record, reading.requests
    gaps = read_gaps(reading.samples, reading.span)
    lateness = read_lateness(reading.samples, reading.span, gaps.p50, 0) if gaps else None
    busy = read_busy(record.before, record.after, record.busy_source) if record.before and record.after else None
    row = parts.key_part(context, record) | parts.load_part(reading)
    row |= parts.gap_part(gaps) | parts.over_interval_part(gaps, record.trial.interval_ms)
    row |= {
        "late_share": lateness.late_share if lateness else None,
        "negative_count": lateness.negative_count if lateness else None,
    }
    row |= parts.busy_part(busy) | parts.native_part(record.native)
    doubts = list(doubt_samples(gaps, record.samples_dropped))
    if record.generator is None:
        return [row | {"doubts": join_doubts(doubts)}]
    tally, latency = tally_fates(requests), read_latency(requests, requests.intended_ns)
    generator = read_generator(record, requests)
    row |= parts.tally_part(tally) | parts.latency_part("latency", latency) | parts.generator_part(generator)
    doubts += doubt_requests(tally, latency)
    doubts += doubt_generator(generator, latency) if generator else []
    return [row | {"doubts": join_doubts(doubts)}]
