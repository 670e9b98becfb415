"""What a person reads first: the normalised tables, as Markdown and on the terminal."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

Value = str | int | float | None
Row = Mapping[str, Value]

MISSING = "–"
TABLE_WIDTH = 128  # under it a terminal folds the lines; nothing is left out


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
    """One printed table: a title, a sentence on how to read it, its figures, and the rows for a terminal."""

    table: str
    title: str
    reading: str
    figures: Sequence[Figure]
    group: str = "case"
    pick: Callable[[Sequence[Row]], Sequence[Row]] = pick_all


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
        pick=pick_around_bend,
    ),
)


def format_figure(figure: Figure, row: Row, between: str) -> str:
    return between.join(format_cell(row.get(column), column) for column in figure.columns)


def format_cell(value: Value, column: str) -> str:
    """Three digits or so: what a person compares. The CSV has the rest."""
    if value is None:
        return MISSING
    if column.endswith("_share") or column == "busy":
        return f"{float(value) * 100:.1f}"
    if not isinstance(value, float):
        return str(value)
    decimals = 2 if abs(value) < 20 else 1 if abs(value) < 100 else 0
    return f"{value:+.{decimals}f}" if column.startswith("excess") else f"{value:.{decimals}f}"


def group_rows(sheet: Sheet, rows: Sequence[Row]) -> list[list[Row]]:
    """Return the rows with the same case (or second) together, so that the runtimes stand under each other."""
    groups: dict[Value, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.get(sheet.group), []).append(row)
    return list(groups.values())


def list_cells(sheet: Sheet, row: Row, between: str) -> list[str]:
    figures = [format_figure(figure, row, between) for figure in sheet.figures]
    status = [] if row["status"] == "ok" else [str(row["status"])]
    doubts = [code for code in str(row.get("doubts") or "").split(";") if code and code not in status]
    again = " again" if row.get("repeat") == 2 else ""
    return [f"{row['case']}{again}", str(row["target"]), *figures, ", ".join([*status, *doubts])]


def word_claims(rows: Sequence[Row]) -> list[str]:
    """Return one sentence per claim, and one for all that could not be told."""
    sentences = []
    for row in rows:
        pair = f"{row['target_a']} against {row['target_b']}, {row['figure']}"
        cells = {name: format_cell(row.get(name), name) for name in ("median_a", "median_b", "band")}
        between = f"{cells['median_a']} against {cells['median_b']}, A/A band ±{cells['band']}"
        if row["claim"] == "not_resolved":
            sentences.append(f"{pair}: **not resolved** ({row['reason']}; {between})")
        else:
            sentences.append(f"{pair}: **{row['claim']}** ({between}, same sign in all {row['rounds']} rounds)")
    return sentences


def format_markdown(run_id: str, conditions: str, tables: Mapping[str, Sequence[Row]], notes: Iterable[str]) -> str:
    """Return `summary.md`."""
    lines = [f"# loopfloor run {run_id}", "", conditions, ""]
    for sheet in SHEETS:
        rows = tables.get(sheet.table, ())
        if not rows:
            continue
        headings = ["case", "target", *(figure.heading.replace(", ", " / ") for figure in sheet.figures), "doubts"]
        lines += [f"## {sheet.title}", "", sheet.reading, "", f"| {' | '.join(headings)} |"]
        lines.append(f"| --- | --- |{' ---: |' * len(sheet.figures)} --- |")
        grouped = [row for group in group_rows(sheet, rows) for row in group]
        lines += [f"| {' | '.join(list_cells(sheet, row, ' / '))} |" for row in grouped]
        lines.append("")
    if claims := word_claims(tables.get("claims", ())):
        lines += ["## Claims", "", *(f"- {sentence}" for sentence in claims), ""]
    return "\n".join([*lines, *(f"- {note}" for note in notes), ""])


def print_tables(console: Console, tables: Mapping[str, Sequence[Row]]) -> None:
    """Print the same tables on a terminal. A narrow one folds them, and is told where they stand unfolded."""
    if console.width < TABLE_WIDTH:
        console.print(f"The tables are {TABLE_WIDTH} columns wide; summary.md has them too.", highlight=False)
        console.width = TABLE_WIDTH
    for sheet in SHEETS:
        rows = sheet.pick(tables.get(sheet.table, ()))
        if not rows:
            continue
        grid = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
        for heading in ("case", "target"):
            grid.add_column(heading, no_wrap=True)
        for figure in sheet.figures:
            grid.add_column(figure.heading.replace(" / ", "\n"), justify="right", no_wrap=True)
        grid.add_column("doubts", min_width=17)
        for group in group_rows(sheet, rows):
            if len(group) > 1:
                grid.add_section()
            for row in group:
                grid.add_row(*list_cells(sheet, row, " "))
        console.print(f"\n[bold]{sheet.title}[/bold]\n{sheet.reading}", highlight=False)
        console.print(grid)
    for sentence in word_claims(tables.get("claims", ())):
        console.print(sentence.replace("**", ""), highlight=False, markup=False, soft_wrap=True)
