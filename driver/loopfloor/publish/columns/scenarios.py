"""The columns that only one scenario has."""

from loopfloor.publish.columns.column import Columns, real, text, whole

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
BURST: Columns = {
    "request": whole("number of the request in its burst, from 1; with the key above the key of the row"),
    "role": text("culprit (slow by its own work), victim (slow by that of others) or quick; blank without an answer"),
    "status_code": whole("HTTP status of the answer"),
    "sent_ms": real("when it was sent, from when the first of the burst was due"),
    "done_ms": real("when its answer was complete"),
    "ideal_done_ms": real("when one perfect FIFO lane would have been done with it"),
    "taken_ms": real("its latency from the intended send"),
    "own_work_ms": real("what it burns on the loop itself"),
    "queueing_ms": real("taken_ms minus own_work_ms: what it stood behind"),
    "slow": whole("requests of the burst at 10 times its quickest or more, and no less than the interval R"),
    "culprits": whole("slow requests with half of their latency or more in their own work"),
    "victims": whole("the other slow ones"),
    "over_budget_requests": whole("requests of the burst whose latency exceeded budget_ms"),
}
SATURATION: Columns = {
    "arrivals_per_s": real("actual arrivals per second of the span"),
    "expected_busy": real(
        "min(1, floor_busy + intended times the median cost_ms of the carried rates, over busy_over_s)"
    ),
    "unloaded_p99_ms": real("latency p99 at the lowest rate of the same target and round"),
    "knee_limit_times": whole("what multiple of unloaded_p99_ms a rate may reach to count as carried"),
    "knee_per_s": real(
        "the knee: the highest rate that was carried: latency p99 and drain under the limit, every request answered"
    ),
    "knee_busy": real("busy at the knee"),
}
STALL: Columns = {
    "injected": whole("blocks sent beside the load"),
    "injected_ms": real("length of each"),
}
SHED: Columns = {
    "door_lag_p99_ms": real("the window rule's limit on the lag p99 of the last second; blank: off"),
    "door_busy": real("the window rule's limit on the busy share of the last second; blank: off"),
    "door_lag_now_ms": real("the instant rule's limit on the lateness at the very request; blank: off"),
    "refusal_p50_ms": real("median latency of the refusals (503)"),
    "refusal_p99_ms": real("their 99th percentile"),
    "capacity_per_s": real("answers per second of the same route in a closed loop, same target and round"),
    "offered_of_capacity": real("rate_per_s divided by capacity_per_s"),
    "goodput_of_capacity": real("answered_per_s divided by capacity_per_s"),
    "times_light_p99": real("latency_ok_p99_ms divided by that at the light rate"),
}
INSTANCES: Columns = {
    "instance": whole("which instance of the target"),
    "injected": whole("blocks sent to it beside the load"),
    "siblings_gap_p99_ms": real("median gap p99 of the other instances over the same time"),
}
COMPARED: Columns = {
    "better": text("which way is faster: lower or higher"),
    "rounds": whole("rounds in which both figures are fit to be compared"),
    "median_a": real("median of a's figure over those rounds, in the figure's own unit"),
    "median_b": real("median of b's"),
    "median_difference": real("median over the rounds of a minus b"),
    "difference_min": real("least of these differences"),
    "difference_max": real("greatest of these differences"),
    "band": real("largest difference of either from itself within a round (A/A)"),
    "claim": text("faster, slower or not_resolved: a against b"),
    "reason": text("why nothing is resolved; blank where something is"),
}
CLAIMS: Columns = {
    "run_id": text("the run; with figure and the two targets the key of the row"),
    "figure": text("case and column of the headline figure"),
    "target_a": text("the target that the claim is about"),
    "target_b": text("the target that it is compared with"),
} | COMPARED
