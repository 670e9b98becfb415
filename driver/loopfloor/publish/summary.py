"""What a person reads first: the normalised tables, as Markdown and on the terminal."""

from collections.abc import Iterable, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from loopfloor.publish.sheets import SHEETS, Figure, Row, Sheet, Value

MISSING = "–"
PER_CENT = {"busy", "expected_busy", "goodput_of_capacity"}
TABLE_WIDTH = 128  # under it a terminal folds the lines; nothing is left out


def format_figure(figure: Figure, row: Row, between: str) -> str:
    return between.join(format_cell(row.get(column), column) for column in figure.columns)


def format_cell(value: Value, column: str) -> str:
    """Three digits or so: what a person compares. The CSV has the rest."""
    if value is None:
        return MISSING
    if column.endswith("_share") or column in PER_CENT:
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
    words = [str(row["verdict"])] if row.get("verdict") else []
    words += [] if row["status"] in ("ok", *words) else [str(row["status"])]
    words += [code for code in str(row.get("doubts") or "").split(";") if code and code not in words]
    again = " again" if row.get("repeat") == 2 else ""
    return [f"{row['case']}{again}", str(row["target"]), *figures, ", ".join(words)]


def word_findings(tables: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return what no single row says: the capacity of one loop, and what can be claimed."""
    return [*word_knees(tables.get("saturation", ())), *word_claims(tables.get("claims", ()))]


def word_knees(rows: Sequence[Row]) -> list[str]:
    """Return one sentence per target and round."""
    sentences = {}
    for row in rows:
        key = (row["target"], row["round"], row["repeat"])
        if row.get("knee_per_s") is None:
            sentences[key] = f"{row['target']}: no knee; no rate stayed under the limit"
        else:
            busy = format_cell(row.get("knee_busy"), "busy")
            sentences[key] = (
                f"{row['target']}: one loop carries **{row['knee_per_s']:g} requests/s** of /work, {busy} % busy"
            )
    return list(sentences.values())


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
        rows = sheet.pick(tables.get(sheet.table, ()))
        if not rows:
            continue
        headings = [
            "case",
            "target",
            *(figure.heading.replace(", ", " / ") for figure in sheet.figures),
            "verdict, doubts",
        ]
        lines += [f"## {sheet.title}", "", sheet.reading, "", f"| {' | '.join(headings)} |"]
        lines.append(f"| --- | --- |{' ---: |' * len(sheet.figures)} --- |")
        grouped = [row for group in group_rows(sheet, rows) for row in group]
        lines += [f"| {' | '.join(list_cells(sheet, row, ' / '))} |" for row in grouped]
        lines.append("")
    if findings := word_findings(tables):
        lines += ["## Findings", "", *(f"- {sentence}" for sentence in findings), ""]
    return "\n".join([*lines, *(f"- {note}" for note in notes), ""])


def print_tables(console: Console, tables: Mapping[str, Sequence[Row]]) -> None:
    """Print the same tables on a terminal. A narrow one folds them, and is told where they stand unfolded."""
    if console.width < TABLE_WIDTH:
        console.print(f"The tables are {TABLE_WIDTH} columns wide; summary.md has them too.", highlight=False)
        console.width = TABLE_WIDTH
    for sheet in SHEETS:
        rows = sheet.pick_narrow(sheet.pick(tables.get(sheet.table, ())))
        if not rows:
            continue
        grid = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
        for heading in ("case", "target"):
            grid.add_column(heading, no_wrap=True)
        for figure in sheet.figures:
            grid.add_column(figure.heading.replace(" / ", "\n"), justify="right", no_wrap=True)
        grid.add_column("verdict, doubts", min_width=17)
        for group in group_rows(sheet, rows):
            if len(group) > 1:
                grid.add_section()
            for row in group:
                grid.add_row(*list_cells(sheet, row, " "))
        console.print(f"\n[bold]{sheet.title}[/bold]\n{sheet.reading}", highlight=False)
        console.print(grid)
    for sentence in word_findings(tables):
        console.print(sentence.replace("**", ""), highlight=False, markup=False, soft_wrap=True)
