"""The data dictionary: every column of every CSV, with its type and meaning. Units are in the names.

A column once published keeps its name and meaning. The same name means the same in every table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Column:
    """What one column holds."""

    kind: Literal["string", "integer", "number"]
    meaning: str


def text(meaning: str) -> Column:
    return Column("string", meaning)


def whole(meaning: str) -> Column:
    return Column("integer", meaning)


def real(meaning: str) -> Column:
    return Column("number", meaning)


Columns = dict[str, Column]

STATISTICS = {"min": "least", "mean": "mean", "p50": "median", "p99": "99th percentile", "max": "greatest"}
LATENCY_STATISTICS = {
    "mean": "mean",
    "p50": "median",
    "p90": "90th percentile",
    "p99": "99th percentile",
    "p999": "99.9th percentile (blank under 1000 requests)",
    "max": "greatest",
}
WAIT_STATISTICS = {name: LATENCY_STATISTICS[name] for name in ("mean", "p50", "p90", "p99", "max")}

KEY: Columns = {
    "run_id": text("the run; with round, target and trial the key of the row"),
    "round": whole("round of the campaign, from 1"),
    "target": text("which target"),
    "trial": text("the trial; also the folder of its raw files"),
    "case": text("what the trial does, the same name on every target"),
    "repeat": whole("1, or 2 where the plan measures a target twice a round, against itself"),
    "status": text("ok; failures: some answers were errors; inadmissible: see doubts; failed: trials.jsonl says why"),
    "interval_ms": whole("sampling interval R of the ruler"),
}
LOAD: Columns = {
    "route": text("the route under load; blank when idle"),
    "loop": text("idle, closed (each user waits for its answer) or open (sent when due)"),
    "connections": whole("users of a closed loop"),
    "rate_per_s": real("intended rate of an open loop"),
    "duration_s": real("the span that the figures describe"),
    "drain_s": real("from its end until the last request was accounted for"),
}
GAPS: Columns = {
    "gap_count": whole("gaps that overlap the span; every gap quantile is over these"),
    "firings": whole("how often the ruler fired inside the span; 0: the loop was held throughout"),
    **{
        f"gap_{name}_ms": real(f"{word} gap between two firings, the interval included: the raw reading")
        for name, word in STATISTICS.items()
    },
}
OVER_INTERVAL: Columns = {
    f"over_interval_{name}_ms": real(f"{word} gap minus the interval R, signed") for name, word in STATISTICS.items()
}
FLOORS: Columns = {
    column: meaning
    for name, word in STATISTICS.items()
    for column, meaning in {
        f"floor_{name}_ms": real(f"{word} gap of the same target idle, at the same R, in the same round"),
        f"floor_traffic_{name}_ms": real(f"{word} gap of the same target under harmless traffic"),
        f"excess_{name}_ms": real(f"gap_{name} minus floor_{name}, signed; claim nothing under 1 ms"),
        f"times_floor_{name}": real(f"gap_{name} divided by floor_{name}"),
    }.items()
} | {
    "floor_late_share": real("late_share of the idle target"),
    "floor_traffic_late_share": real("late_share under harmless traffic; a healthy loop reads 1 to 4 % at R = 10"),
}
NEGATIVE: Columns = {
    "late_share": real("share of the span in which a gap had outlasted floor_p50; not a busy share"),
    "negative_count": whole("gaps below floor_p50, clamped to 0 in the lateness"),
}
LATENESS: Columns = NEGATIVE | {
    "budget_ms": real("the lag budget that the plan states"),
    "over_budget_count": whole("gaps whose lateness exceeded the budget"),
    "over_budget_share": real("share of random instants at which a due callback would wait longer than the budget"),
    **{
        column: meaning
        for name, word in WAIT_STATISTICS.items()
        for column, meaning in {
            f"wait_{name}_ms": real(f"{word} wait of a callback due at a random instant: lower bound"),
            f"wait_{name}_upper_ms": real(f"its upper bound: wait_{name}_ms plus floor_p50_ms"),
        }.items()
    },
    "loop_state": text("sampled, stalled (no firing in the span) or no_data"),
}
TALLY: Columns = {
    "intended": whole("requests that were due; the sum of the six below"),
    "ok": whole("answered with 2xx in time"),
    "http_error": whole("answered with another status"),
    "timeout": whole("not answered within the time-out from the intended send"),
    "conn_error": whole("the connection was refused, reset or closed"),
    "skipped": whole("not sent: the cap on requests in flight was reached"),
    "unfinished": whole("still in flight when the trial was cut off"),
}
LATENCY: Columns = {
    f"latency_{name}_ms": real(
        f"{word} latency of all requests; failures without an answer rank last, see lower_bounds"
    )
    for name, word in LATENCY_STATISTICS.items()
}
REQUESTS: Columns = (
    TALLY
    | LATENCY
    | {
        "latency_from": text("intended_send (open loop) or send (closed loop)"),
        "latency_count": whole("requests behind the latency figures"),
        "lower_bounds": text("latency figures that are at least what is printed, or blank; `;` between them"),
        "latency_floor_p50_ms": real("median latency of /noop over one connection: the path without any work"),
        **{
            f"latency_ok_{name}_ms": real(f"{LATENCY_STATISTICS[name]} latency of the ok requests only")
            for name in ("mean", "p50", "p99")
        },
        **{
            f"service_{name}_ms": real(f"{LATENCY_STATISTICS[name]} time from the actual send")
            for name in ("mean", "p50", "p99", "max")
        },
    }
)
BUSY: Columns = {
    "busy": real("busy share of the loop between the readings before and after the trial, the drain included"),
    "busy_source": text("elu (event loop utilisation), selector (time outside select) or thread_cpu"),
    "thread_cpu_share": real("CPU share of the loop's thread over the same time; a hash pool does not count"),
}
NATIVE: Columns = {
    "native_count": whole("readings of the runtime's own monitor since the ruler was armed; blank where it has none"),
    **{f"native_{name}_ms": real(f"its {word}: a cross-check") for name, word in STATISTICS.items()},
}
GENERATOR: Columns = {
    "generator_late_of": text("send (actual minus intended send) or timer (a 10 ms timer in the generator's own loop)"),
    "generator_late_p50_ms": real("median of that lateness"),
    "generator_late_p99_ms": real("99th percentile of that lateness"),
    "generator_late_max_ms": real("greatest of that lateness"),
    "generator_busy": real("CPU share of the generator while it sent"),
    "achieved_share": real("share of the scheduled sends that went out before the span ended; open loop only"),
    "connections_opened": whole("connections that the generator opened"),
    "in_flight_max": whole("most requests in flight at once"),
    "send_interval_deviation_ms": real("standard deviation of the time between sends from what was intended"),
}
CALIBRATION: Columns = {
    "injected_ms": real("length of the block that was asked for"),
    "shots": whole("how many times, each at another phase of the ruler"),
    **{
        f"{prefix}_{name}_ms": real(f"{name} of {what}")
        for prefix, what in (
            ("read", "the ruler's gap around a shot, the interval included"),
            ("stopwatch", "the time from send to answer by the driver's clock"),
        )
        for name in ("median", "min", "max")
    },
    "read_minus_injected_ms": real("the ruler's error: read_median minus injected"),
    "band_low_ms": real("least reading that theory allows: max(R, injected)"),
    "band_high_ms": real("greatest reading that theory allows: R + injected"),
    "outside_band": whole("shots read more than 1 ms outside the band"),
}
IDEAL: Columns = {
    **{
        f"ideal_{name}_ms": real(f"{word} latency of the same arrivals through one perfect FIFO lane")
        for name, word in (("mean", "mean"), ("p50", "median"), ("p99", "99th percentile"))
    },
    "over_ideal_mean": real("latency_mean divided by ideal_mean"),
}
CONDITIONS: Columns = {
    "target_cpu_s": real("CPU seconds of the target's process over the trial, its pool included"),
    "memory_peak_bytes": whole("peak resident memory of the target's process since its start"),
    "gc_count": whole("garbage collections over the trial"),
    "gc_s": real("seconds in them"),
    "ctx_switches": whole("context switches of the target's process over the trial"),
    "throttled_periods": whole("quota periods in which the target's container was held up; blank where unreadable"),
    "throttled_s": real("seconds for which it was held up"),
    "run_delay_s": real("seconds for which the loop's thread was ready, but another process had its core"),
    "steal_share": real("share of the virtual machine's CPU time that its host gave to others"),
    "generator_throttled_periods": whole("the same of the driver's container"),
}
DOUBTS: Columns = {"doubts": text("codes of what is doubtful about this row, `;` between them; see the README")}

CLAIMS: Columns = {
    "run_id": text("the run; with figure and the two targets the key of the row"),
    "figure": text("case and column of the headline figure"),
    "target_a": text("the target that the claim is about"),
    "target_b": text("the target that it is compared with"),
    "better": text("which way is faster: lower or higher"),
    "rounds": whole("rounds in which both figures are fit to be compared"),
    "median_a": real("median of a's figure over those rounds, in the figure's own unit"),
    "median_b": real("median of b's"),
    "median_difference": real("median over the rounds of a minus b"),
    "difference_min": real("least of these differences"),
    "difference_max": real("greatest of these differences"),
    "band": real("largest difference of either target from itself within a round (A/A)"),
    "claim": text("faster, slower or not_resolved"),
    "reason": text("why nothing is resolved; blank where something is"),
}
LOOP: Columns = GAPS | FLOORS | OVER_INTERVAL | LATENESS
TRIAL: Columns = BUSY | NATIVE | CONDITIONS | GENERATOR | DOUBTS

TABLES: Mapping[str, Columns] = {
    "floor": KEY | LOAD | GAPS | OVER_INTERVAL | NEGATIVE | TALLY | LATENCY | TRIAL,
    "calibration": KEY | CALIBRATION | NATIVE | DOUBTS,
    "pair": KEY | LOAD | {"answered_per_s": real("2xx answers per second of the span")} | REQUESTS | LOOP | TRIAL,
    "ramp": KEY
    | {
        "second": whole("second of the ramp, from 0; with the key above the key of the row"),
        "nominal_ms": whole("what one request costs the loop in that second"),
        "bend_second": whole("first second whose latency p50 is 10 times its nominal work (at least 1 ms) or more"),
        "ideal_bend_second": whole("the same of the ideal lane"),
    }
    | LOAD
    | REQUESTS
    | IDEAL
    | LOOP
    | TRIAL,
    "claims": CLAIMS,
}

ROW_KEY = ("run_id", "round", "target", "trial")
KEYS: Mapping[str, tuple[str, ...]] = dict.fromkeys(TABLES, ROW_KEY) | {
    "ramp": (*ROW_KEY, "second"),
    "claims": ("run_id", "figure", "target_a", "target_b"),
}
