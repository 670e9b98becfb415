"""The printed tables: which figures of which CSV a person reads first, on a terminal and as Markdown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Value = str | int | float | None
Row = Mapping[str, Value]


@dataclass(frozen=True)
class Figure:
    """One printed column: a heading, and the cells behind it."""

    heading: str
    columns: Sequence[str]


def pick_all(rows: Sequence[Row]) -> Sequence[Row]:
    return rows


def pick_around_bend(rows: Sequence[Row]) -> Sequence[Row]:
    """Return the first and last second and those around the bend: what a screen has room for."""
    seconds = [row.get("second") for row in rows]
    bends = {bend for row in rows if isinstance(bend := row.get("bend_second"), int)}
    wanted = {*seconds[:1], *seconds[-1:], *(bend + step for bend in bends for step in (-2, -1, 0, 1))}
    return [row for row in rows if row.get("second") in wanted]


@dataclass(frozen=True)
class Sheet:
    """One printed table: a title, a sentence on how to read it, its figures, and which rows a terminal has room for."""

    table: str
    title: str
    reading: str
    figures: Sequence[Figure]
    group: str = "case"
    pick_narrow: Callable[[Sequence[Row]], Sequence[Row]] = pick_all


GAP_P50 = Figure("gap p50 / floor, excess", ("gap_p50_ms", "floor_p50_ms", "excess_p50_ms"))
GAP_P99 = Figure("gap p99 / floor, excess", ("gap_p99_ms", "floor_p99_ms", "excess_p99_ms"))
WAIT = Figure("wait / p50, p99", ("wait_p50_ms", "wait_p99_ms"))
SHEETS = (
    Sheet(
        "floor",
        "Floors: what an idle loop reads (ms)",
        "The sampling interval R is inside the gap; every reading below stands against these.",
        (
            Figure("R", ("interval_ms",)),
            Figure("n", ("gap_count",)),
            Figure("gap min", ("gap_min_ms",)),
            Figure("p50", ("gap_p50_ms",)),
            Figure("p99", ("gap_p99_ms",)),
            Figure("max", ("gap_max_ms",)),
            Figure("p50 over R", ("over_interval_p50_ms",)),
            Figure("late %", ("late_share",)),
        ),
    ),
    Sheet(
        "calibration",
        "Calibration: known stalls, what the ruler reads and what a stopwatch outside reads (ms)",
        "A block B must read as a gap between max(R, B) and R + B, the timers' own ms on either side.",
        (
            Figure("injected", ("injected_ms",)),
            Figure("shots", ("shots",)),
            Figure("ruler / median, min, max", ("read_median_ms", "read_min_ms", "read_max_ms")),
            Figure("theory / from, to", ("band_low_ms", "band_high_ms")),
            Figure("outside", ("outside_band",)),
            Figure("stopwatch / median, min, max", ("stopwatch_median_ms", "stopwatch_min_ms", "stopwatch_max_ms")),
            Figure("native / max", ("native_max_ms",)),
        ),
    ),
    Sheet(
        "pair",
        "Pair: latency and loop delay beside each other (ms)",
        "High latency with the loop at its floor is waiting; with the loop far above it, blocking.",
        (
            Figure("ok/s", ("answered_per_s",)),
            Figure("latency / p50, p99", ("latency_p50_ms", "latency_p99_ms")),
            Figure("n", ("gap_count",)),
            GAP_P50,
            GAP_P99,
            WAIT,
            Figure("busy %", ("busy",)),
        ),
    ),
    Sheet(
        "ramp",
        "Ramp: a fixed rate, 1 ms more work per request each second (ms)",
        "Latency counts from the intended send. The bend is the second in which the lane is full.",
        (
            Figure("second", ("second",)),
            Figure("bend / ideal", ("bend_second", "ideal_bend_second")),
            Figure("latency / p50, p99", ("latency_p50_ms", "latency_p99_ms")),
            Figure("ideal / p50, p99", ("ideal_p50_ms", "ideal_p99_ms")),
            Figure("firings", ("firings",)),
            GAP_P50,
            GAP_P99,
            WAIT,
        ),
        group="second",
        pick_narrow=pick_around_bend,
    ),
    Sheet(
        "burst",
        "Burst: a few requests at once, one of which blocks",
        "One lane: many are slow, one is to blame. burst.csv has each request's queueing and own work.",
        (
            Figure("slow", ("slow",)),
            Figure("culprits", ("culprits",)),
            Figure("victims", ("victims",)),
            Figure("over budget / n, of ms", ("over_budget_requests", "budget_ms")),
            Figure("gap max / floor, excess", ("gap_max_ms", "floor_max_ms", "excess_max_ms")),
        ),
    ),
    Sheet(
        "saturation",
        "Saturation: Poisson arrivals at /work (2 ms on the loop, 10 ms beside it), rate after rate (ms)",
        "The knee is the highest rate whose latency p99 and drain stay within 5 times the p99 at the lowest rate.",
        (
            Figure("rate / of knee", ("rate_per_s", "knee_per_s")),
            Figure("busy % / expected", ("busy", "expected_busy")),
            Figure("latency / p50, p99", ("latency_p50_ms", "latency_p99_ms")),
            Figure("ideal / p50, p99", ("ideal_p50_ms", "ideal_p99_ms")),
            GAP_P99,
            Figure("wait / p99", ("wait_p99_ms",)),
        ),
    ),
    Sheet(
        "stall",
        "Stall: the same load without and with one long block (ms)",
        "The counter moves and busy hardly does; only the tail moves.",
        (
            Figure("stalls", ("stalls",)),
            Figure("busy %", ("busy",)),
            Figure(
                "latency / p50, mean, p99, max", tuple(f"latency_{name}_ms" for name in ("p50", "mean", "p99", "max"))
            ),
            Figure("gap / p50, mean, p99, max", tuple(f"gap_{name}_ms" for name in ("p50", "mean", "p99", "max"))),
        ),
    ),
    Sheet(
        "instances",
        "Instances: three of each target under equal load at the same time (ms)",
        "One instance far above the others is a hot key or a bad host, not the runtime.",
        (
            Figure("instance", ("instance",)),
            Figure("latency / p50, p99", ("latency_p50_ms", "latency_p99_ms")),
            GAP_P50,
            GAP_P99,
            Figure("siblings / gap p99", ("siblings_gap_p99_ms",)),
            Figure("busy %", ("busy",)),
        ),
        group="target",
    ),
    Sheet(
        "shed",
        "Shed: far past capacity, with an open door and with two rules that refuse (ms)",
        "What is admitted should keep its latency. Capacity is the same route in a closed loop; light is 20 a second.",
        (
            Figure("ok/s / of capacity", ("answered_per_s", "goodput_of_capacity")),
            Figure("admitted / p50, p99", ("latency_ok_p50_ms", "latency_ok_p99_ms")),
            Figure("p99 / times light", ("times_light_p99",)),
            Figure("refused / n, p50", ("shed", "refusal_p50_ms")),
            Figure("skipped", ("skipped",)),
            Figure("busy %", ("busy",)),
            GAP_P99,
        ),
    ),
)

# The columns of each table that are printed, each once.
PRINTED: Mapping[str, Sequence[str]] = {
    sheet.table: list(dict.fromkeys(column for figure in sheet.figures for column in figure.columns))
    for sheet in SHEETS
}
