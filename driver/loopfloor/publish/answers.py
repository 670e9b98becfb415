"""The answer of each scenario in one sentence, made from the same medians as the tables; and what can be claimed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from loopfloor.publish.cells import MISSING, find_column, format_cell
from loopfloor.publish.printed import Medians, print_cell
from loopfloor.publish.sheets import Row

Tables = Mapping[str, Sequence[Row]]


@dataclass(frozen=True)
class Answer:
    """A sentence about one table; `**` around what matters in it."""

    subject: str
    text: str

    @property
    def plain(self) -> str:
        return self.text.replace("**", "")


def word_answers(tables: Tables) -> list[Answer]:
    """Return the answers of a run, in the order of reading. A scenario without its figures has none."""
    medians = Medians(tables.get("medians", ()))
    found = [Answer(name, text) for name, word in WORDERS.items() for text in word(medians)]
    return found + [Answer("claims", text) for text in word_claims(tables.get("claims", ()))]


def list_targets(medians: Medians, table: str, case: str, column: str, unit: str = "") -> str | None:
    """Return the figure of each target, as the tables print it. None where no target has it."""
    cells = {
        target: print_cell(medians.find(table, f"{case} {column}", target), column).text for target in medians.targets
    }
    if all(text == MISSING for text in cells.values()):
        return None
    if len(cells) > 1 and len(set(cells.values())) == 1:
        return f"{next(iter(cells.values()))}{unit} on each"
    return ", ".join(f"{target} {text}" for target, text in cells.items()) + unit


def word_floor(medians: Medians) -> Iterator[str]:
    """At the interval of the loads, which is that of the floor under traffic."""
    for row in medians.list_rows("floor")[:1]:
        interval = medians.find("floor", "traffic interval_ms", str(row["target"])).get("median")
        over = list_targets(medians, "floor", f"idle-{interval}ms", "over_interval_p50_ms", " ms")
        if over:
            yield f"an idle loop does not read zero: at R = {interval} ms its median gap is R plus **{over}**."


def word_calibration(medians: Medians) -> Iterator[str]:
    found = [row for row in medians.list_rows("calibration") if row["column"] == "outside_band"]
    known = [int(row["max"] or 0) for row in found if row["max"] is not None]
    if known:
        misread = sum(1 for outside in known if outside)
        verdict = "**all** read within the band of theory" if misread == 0 else f"**{misread} read outside the band**"
        yield f"of {len(known)} lengths of known stalls on {len(medians.targets)} targets, {verdict}."


def word_pair(medians: Medians) -> Iterator[str]:
    """Of the route that waits and the route that blocks: both slow, and only one holds the loop."""
    for case in medians.list_cases("pair"):
        route, _, connections = case.partition("-x")
        if route not in ("slow", "block"):
            continue
        latency = list_targets(medians, "pair", case, "latency_p50_ms", " ms")
        excess = list_targets(medians, "pair", case, "excess_p50_ms", " ms")
        if latency and excess:
            yield f"/{route} × {connections}: latency p50 {latency}; gap p50 over the loop's floor **{excess}**."


def word_ramp(medians: Medians) -> Iterator[str]:
    bends, ideal = (
        list_targets(medians, "ramp", "ramp second 0", column) for column in ("bend_second", "ideal_bend_second")
    )
    if bends:
        yield f"the lane is full in second **{bends}**; the ideal lane in {ideal}."
    elif ideal:
        yield f"the lane is full in **no second** of the ramp; the ideal lane in {ideal}."


def word_burst(medians: Medians) -> Iterator[str]:
    for case in medians.list_cases("burst"):
        slow, culprits = (list_targets(medians, "burst", case, column) for column in ("slow", "culprits"))
        if slow:
            yield f"slow requests {slow}; to blame **{culprits}**."


def word_saturation(medians: Medians) -> Iterator[str]:
    for target in medians.targets:
        rows = [row for row in medians.list_rows("saturation") if row["target"] == target]
        knees = [row["median"] for row in rows if row["column"] == "knee_per_s" and row["median"] is not None]
        if knees:
            carried, busy = f"{float(knees[0]):g} requests/s", word_knee_busy(rows, knees[0])
            yield f"{target}: one loop carries **{carried}** of /work{busy}."
        elif rows:
            yield f"{target}: no knee; no rate stayed under the limit."


def word_knee_busy(rows: Sequence[Row], knee_per_s: str | float | None) -> str:
    """Return how busy the loop was at the knee; nothing where the knee lies between two rates."""
    cases = {row["case"] for row in rows if row["column"] == "rate_per_s" and row["median"] == knee_per_s}
    busy = [format_cell(row["median"], "busy") for row in rows if row["column"] == "busy" and row["case"] in cases]
    return f", {busy[0]} % busy" if busy else ""


def word_stall(medians: Medians) -> Iterator[str]:
    cases = medians.list_cases("stall")
    if len(cases) == 2:
        before, after = (list_targets(medians, "stall", case, "gap_max_ms", " ms") for case in cases)
        p50 = list_targets(medians, "stall", cases[1], "gap_p50_ms", " ms")
        yield f"one long block moves the longest gap to **{after}** (without it {before}); the median gap stays {p50}."


def word_shed(medians: Medians) -> Iterator[str]:
    kept, tail, still = (
        list_targets(medians, "shed", case, column, unit)
        for case, column, unit in (
            ("now", "goodput_of_capacity", " %"),
            ("now", "latency_ok_p99_ms", " ms"),
            ("open", "latency_ok_p99_ms", " ms"),
        )
    )
    if kept and tail:
        yield (
            f"far past capacity the instant rule keeps **{kept}** of capacity; p99 of what it admits {tail}, behind an "
            f"open door {still}."
        )


def word_instances(medians: Medians) -> Iterator[str]:
    for target in medians.targets:
        gaps = {
            row["instance"]: print_cell(row, "gap_p99_ms").text
            for row in medians.list_rows("instances")
            if row["target"] == target and row["column"] == "gap_p99_ms"
        }
        if gaps:
            words = ", ".join(f"instance {number} {text}" for number, text in gaps.items())
            yield f"{target}, gap p99: **{words} ms**."


WORDERS: Mapping[str, Callable[[Medians], Iterator[str]]] = {
    "floor": word_floor,
    "calibration": word_calibration,
    "pair": word_pair,
    "ramp": word_ramp,
    "burst": word_burst,
    "saturation": word_saturation,
    "stall": word_stall,
    "shed": word_shed,
    "instances": word_instances,
}


def word_claims(rows: Sequence[Row]) -> Iterator[str]:
    """Yield one sentence per headline figure and pair of targets."""
    for row in rows:
        pair = f"{row['target_a']} against {row['target_b']}, {row['figure']}"
        yield f"{pair}: {word_claim(row)}"


def word_claim(row: Row) -> str:
    """Return what can be said of a against b, with the figures behind it."""
    column = find_column(row["figure"])
    medians = (format_cell(row.get(name), column) for name in ("median_a", "median_b"))
    band = format_cell(row.get("band"), column.removeprefix("excess_"))
    between = f"{' against '.join(medians)}, A/A band ±{band}"
    if row["claim"] == "not_resolved":
        return f"**not resolved** ({row['reason']}; {between})"
    return f"**{row['claim']}** ({between}, same sign in all {row['rounds']} rounds)"
