"""`calibration.csv`: known stalls against what the ruler reads, with the driver's stopwatch as third witness."""

import numpy as np

from loopfloor.judge.doubts import join_doubts
from loopfloor.judge.normalise import Span, overlaps
from loopfloor.judge.tables import parts
from loopfloor.judge.tables.loaded import add_verdict, judge_loop
from loopfloor.judge.tables.reading import Context, Reading, Row
from loopfloor.model import Fate, Int64s
from loopfloor.units import ms_from_ns, ns_from_ms

GRANULARITY_MS = 1  # of the timers, on either side of the band


def make_rows(context: Context, reading: Reading) -> list[Row]:
    """One row per injected length: median and range of the shots. A shot that failed leaves them blank."""
    record = reading.record
    injected_ms = float(record.trial.case.removeprefix("block-").removesuffix("ms"))
    low_ms, high_ms = max(record.trial.interval_ms, injected_ms), record.trial.interval_ms + injected_ms
    ok = bool((reading.requests.fate == Fate.OK).all())
    read_ns = read_shots(reading) if ok else np.zeros(0, dtype=np.int64)
    watch_ns = reading.requests.done_ns - reading.requests.sent_ns if ok else read_ns
    row = parts.key_part(context, record) | {
        "injected_ms": injected_ms,
        "shots": len(reading.requests),
        "band_low_ms": low_ms,
        "band_high_ms": high_ms,
    }
    row |= describe("read", read_ns) | describe("stopwatch", watch_ns)
    middle_ms = row["read_median_ms"]
    row["read_minus_injected_ms"] = middle_ms - injected_ms if isinstance(middle_ms, float) else None
    outside = (read_ns < ns_from_ms(low_ms - GRANULARITY_MS)) | (read_ns > ns_from_ms(high_ms + GRANULARITY_MS))
    row["outside_band"] = int(outside.sum()) if len(read_ns) else None
    row |= parts.native_part(record.native)
    doubts = ([] if ok else ["failures"]) + (["outside_band"] if outside.any() else [])
    row |= ({} if ok else {"status": "failures"}) | {"doubts": join_doubts(doubts)}
    loop_row, _ = judge_loop(context, reading, reading.span)
    return [row | add_verdict(row, **loop_row)]


def read_shots(reading: Reading) -> Int64s:
    """Return the longest gap that overlaps each shot, from its send to its answer."""
    longest = []
    for sent_ns, done_ns in zip(reading.requests.sent_ns.tolist(), reading.requests.done_ns.tolist(), strict=True):
        gaps = reading.samples.gap_ns[overlaps(reading.samples, Span(sent_ns, done_ns))]
        longest += [int(gaps.max())] if len(gaps) else []
    return np.array(longest, dtype=np.int64)


def describe(prefix: str, values_ns: Int64s) -> Row:
    names = [f"{prefix}_{name}_ms" for name in ("median", "min", "max")]
    if len(values_ns) == 0:
        return dict.fromkeys(names)
    figures = (float(np.median(values_ns)), float(values_ns.min()), float(values_ns.max()))
    return dict(zip(names, map(ms_from_ns, figures), strict=True))
