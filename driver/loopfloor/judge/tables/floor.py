"""`floor.csv`: one row per idle interval and one under harmless traffic, per round and target."""

from loopfloor.judge.doubts import doubt_floor, doubt_requests, doubt_samples
from loopfloor.judge.normalise import read_gaps, read_latency, read_lateness, tally_fates
from loopfloor.judge.tables import parts
from loopfloor.judge.tables.loaded import finish, judge_trial
from loopfloor.judge.tables.reading import Context, Reading, Row
from loopfloor.model import Idle


def make_rows(context: Context, reading: Reading) -> list[Row]:
    record, requests = reading.record, reading.requests
    gaps = read_gaps(reading.samples, reading.span)
    floor = context.floors.find_idle(record)
    lateness = read_lateness(reading.samples, reading.span, floor.gaps.p50, 0) if floor else None
    trial_row, doubts = judge_trial(context, reading)
    doubts += doubt_samples(gaps, record.samples_dropped)
    doubts += doubt_floor(record, floor)
    row = parts.key_part(context, record) | parts.load_part(reading, reading.span)
    row |= parts.gap_part(gaps) | parts.over_interval_part(gaps, record.trial.interval_ms)
    row |= {
        "late_share": lateness.late_share if lateness else None,
        "negative_count": lateness.negative_count if lateness else None,
    }
    if not isinstance(record.trial.load, Idle):
        tally, latency = tally_fates(requests), read_latency(requests, requests.intended_ns)
        row |= parts.tally_part(tally) | parts.latency_part("latency", latency)
        doubts += doubt_requests(tally, latency)
    against = parts.floor_part(gaps, floor, None)
    return [finish(row | trial_row, doubts, **against)]
