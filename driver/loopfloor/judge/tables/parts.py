"""The groups of columns that tables share, each a function from figures to named cells."""

from dataclasses import asdict

from loopfloor.judge.generator import GeneratorFigures
from loopfloor.judge.normalise import BusyFigures, GapFigures, LatencyFigures, Lateness, Span, Tally, read_busy
from loopfloor.judge.tables.reading import Context, Floor, Reading, Row
from loopfloor.model import ClosedLoad, NativeFigures, OpenLoad, TrialRecord, Usage
from loopfloor.units import ms_from_ns, ns_from_ms, s_from_ns

STATISTICS = ("min", "mean", "p50", "p99", "max")
LATENCY_STATISTICS = ("mean", "p50", "p90", "p99", "p999", "max")
WAIT_STATISTICS = ("mean", "p50", "p90", "p99", "max")


def to_ms(value_ns: float | None) -> float | None:
    return None if value_ns is None else ms_from_ns(value_ns)


def key_part(context: Context, record: TrialRecord) -> Row:
    trial = record.trial
    return {
        "run_id": context.run_id,
        "round": trial.round,
        "target": trial.target,
        "trial": trial.id,
        "case": trial.case,
        "repeat": trial.repeat,
        "status": record.status,
        "interval_ms": trial.interval_ms,
    }


def load_part(reading: Reading, span: Span) -> Row:
    load, window = reading.record.trial.load, reading.window
    return {
        "route": load.route if isinstance(load, OpenLoad | ClosedLoad) else None,
        "loop": load.kind,
        "connections": load.connections if isinstance(load, ClosedLoad) else None,
        "rate_per_s": load.rate_per_s if isinstance(load, OpenLoad) else None,
        "duration_s": s_from_ns(span.end_ns - span.start_ns),
        "drain_s": s_from_ns(window.drained_ns - window.end_ns),
    }


def gap_part(gaps: GapFigures | None) -> Row:
    cells: Row = {"gap_count": gaps.count if gaps else 0, "firings": gaps.firings if gaps else 0}
    return cells | {f"gap_{name}_ms": to_ms(getattr(gaps, name)) if gaps else None for name in STATISTICS}


def over_interval_part(gaps: GapFigures | None, interval_ms: int) -> Row:
    names = [f"over_interval_{name}_ms" for name in STATISTICS]
    if gaps is None:
        return dict.fromkeys(names)
    interval_ns = ns_from_ms(interval_ms)
    return {f"over_interval_{name}_ms": ms_from_ns(getattr(gaps, name) - interval_ns) for name in STATISTICS}


def floor_part(gaps: GapFigures | None, floor: Floor | None, traffic: Floor | None) -> Row:
    """The reading against its floor: side by side, as a signed difference, and as a multiple."""
    row: Row = {}
    for name in STATISTICS:
        floor_ns = getattr(floor.gaps, name) if floor else None
        traffic_ns = getattr(traffic.gaps, name) if traffic else None
        gap_ns = getattr(gaps, name) if gaps else None
        row[f"floor_{name}_ms"] = to_ms(floor_ns)
        row[f"floor_traffic_{name}_ms"] = to_ms(traffic_ns)
        row[f"excess_{name}_ms"] = row[f"times_floor_{name}"] = None
        if gap_ns is not None and floor_ns is not None:
            row[f"excess_{name}_ms"] = ms_from_ns(gap_ns - floor_ns)
            row[f"times_floor_{name}"] = gap_ns / floor_ns
    row["floor_busy"] = floor.busy if floor else None
    row["floor_late_share"] = floor.late_share if floor else None
    row["floor_traffic_late_share"] = traffic.late_share if traffic else None
    return row


def lateness_part(lateness: Lateness | None, floor: Floor | None, budget_ms: float) -> Row:
    row: Row = {
        "negative_count": lateness.negative_count if lateness else None,
        "late_share": lateness.late_share if lateness else None,
        "budget_ms": budget_ms,
        "over_budget_count": lateness.over_budget_count if lateness else None,
        "over_budget_share": lateness.over_budget_share if lateness else None,
    }
    for name in WAIT_STATISTICS:
        wait_ns = getattr(lateness.wait, name) if lateness else None
        row[f"wait_{name}_ms"] = to_ms(wait_ns)
        row[f"wait_{name}_upper_ms"] = ms_from_ns(wait_ns + floor.gaps.p50) if wait_ns is not None and floor else None
    return row


def tally_part(tally: Tally) -> Row:
    return dict(asdict(tally))


def latency_part(prefix: str, latency: LatencyFigures | None, names: tuple[str, ...] = LATENCY_STATISTICS) -> Row:
    return {f"{prefix}_{name}_ms": to_ms(getattr(latency, name)) if latency else None for name in names}


def busy_part(busy: BusyFigures | None) -> Row:
    return {
        "busy": busy.busy if busy else None,
        "busy_over_s": s_from_ns(busy.wall_ns) if busy else None,
        "busy_source": busy.source if busy else None,
        "thread_cpu_share": busy.thread_cpu_share if busy else None,
    }


def native_part(native: NativeFigures | None) -> Row:
    row: Row = {"native_count": native.count if native else None}
    return row | {f"native_{name}_ms": getattr(native, name) if native else None for name in STATISTICS}


def conditions_part(record: TrialRecord) -> Row:
    """Return what the trial cost the target, as differences of the readings before and after."""
    before, after = record.usage_before or Usage(), record.usage_after or Usage()
    first, last = record.before, record.after
    return {
        "target_cpu_s": differ(before.cpu_s, after.cpu_s),
        "memory_peak_bytes": after.memory_peak_bytes,
        "gc_count": differ(first.gc_count, last.gc_count) if first and last else None,
        "gc_s": differ(first.gc_s, last.gc_s) if first and last else None,
        "ctx_switches": differ(first.ctx_switches, last.ctx_switches) if first and last else None,
        "throttled_periods": differ(before.throttled_periods, after.throttled_periods),
        "throttled_s": differ(before.throttled_s, after.throttled_s),
        "run_delay_s": differ(before.run_delay_s, after.run_delay_s),
        "steal_share": record.steal_share,
        "stalls": differ(record.stalls_before, record.stalls_after),
        "generator_throttled_periods": record.generator_throttled_periods,
    }


def cost_part(record: TrialRecord, floor: Floor | None, answers: int) -> Row:
    """Return what one 2xx answer cost the loop: its busy seconds beyond those of an idle loop, over all answers."""
    idle = floor.busy if floor else None
    busy = read_busy(record.before, record.after, record.busy_source) if record.before and record.after else None
    if idle is None or busy is None or busy.busy is None or not answers:
        return {"cost_ms": None}
    return {"cost_ms": ms_from_ns(max(0.0, busy.busy - idle) * busy.wall_ns / answers)}


def differ[Number: (int, float)](before: Number | None, after: Number | None) -> Number | None:
    return None if before is None or after is None else after - before


def ideal_part(latency: LatencyFigures | None, ideal: LatencyFigures | None) -> Row:
    row = latency_part("ideal", ideal, ("mean", "p50", "p99"))
    row["over_ideal_mean"] = None
    if latency and latency.mean is not None and ideal and ideal.mean:
        row["over_ideal_mean"] = latency.mean / ideal.mean
    return row


def generator_part(figures: GeneratorFigures | None) -> Row:
    return {
        "generator_late_of": figures.late_of if figures else None,
        "generator_late_p50_ms": to_ms(figures.late_p50) if figures else None,
        "generator_late_p99_ms": to_ms(figures.late_p99) if figures else None,
        "generator_late_max_ms": to_ms(figures.late_max) if figures else None,
        "generator_busy": figures.busy if figures else None,
        "achieved_share": figures.achieved_share if figures else None,
        "connections_opened": figures.connections_opened if figures else None,
        "in_flight_max": figures.in_flight_max if figures else None,
        "send_interval_deviation_ms": to_ms(figures.send_interval_deviation) if figures else None,
    }
