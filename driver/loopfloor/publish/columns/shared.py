"""The groups of columns that tables share. The same name means the same in every table."""

from loopfloor.publish.columns.column import Columns, real, text, whole

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
    "floor_busy": real("busy share of the idle target"),
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
        "shed": whole(
            "http_error that the target's own door refused, as it was asked to; blank where the door was open"
        ),
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
    "busy_over_s": real("the seconds that busy is a share of: between these readings"),
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
    "stalls": whole("stalls of more than 250 ms that the target itself counted over the trial"),
    "generator_throttled_periods": whole("the same of the driver's container"),
}
VERDICT: Columns = {
    "verdict": text("what the figures of this row say; see METHOD.md for the codes and their rules"),
    "because": text("one sentence with the figures behind it"),
    "next_step": text("what to do"),
}
WORK: Columns = {
    "answered_per_s": real("2xx answers per second of the span"),
    "cost_ms": real("busy time of the loop per 2xx answer, beyond that of the idle loop"),
}
DOUBTS: Columns = {"doubts": text("codes of what is doubtful about this row, `;` between them; see the README")}

LOOP: Columns = GAPS | FLOORS | OVER_INTERVAL | LATENESS
TRIAL: Columns = BUSY | NATIVE | CONDITIONS | GENERATOR | DOUBTS | VERDICT
