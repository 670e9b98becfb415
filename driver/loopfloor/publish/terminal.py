"""The tables on a terminal, and last what a person came for: what the figures say, and where the page is."""

from collections.abc import Iterable, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from loopfloor.publish.answers import word_answers
from loopfloor.publish.printed import Medians, PrintedSheet, print_sheet
from loopfloor.publish.sheets import SHEETS, Row

TABLE_WIDTH = 128  # under it a terminal folds the lines; nothing is left out


def print_report(console: Console, tables: Mapping[str, Sequence[Row]], notes: Iterable[str]) -> None:
    """Print tables, doubts and answers. A narrow terminal folds the tables, and is told where they stand unfolded."""
    width = console.width
    if width < TABLE_WIDTH:
        console.print(f"The tables are {TABLE_WIDTH} columns wide; summary.md has them too.", highlight=False)
        console.width = TABLE_WIDTH
    medians = Medians(tables.get("medians", ()))
    for sheet in SHEETS:
        printed = print_sheet(sheet, sheet.pick_narrow(tables.get(sheet.table, ())), medians)
        if printed.rows:
            print_grid(console, printed)
    console.width = width
    for note in notes:
        console.print(note, highlight=False, markup=False, soft_wrap=True)
    for answer in word_answers(tables):
        console.print(f"{answer.subject}: {answer.plain}", highlight=False, markup=False, soft_wrap=True)


def print_grid(console: Console, printed: PrintedSheet) -> None:
    sheet = printed.sheet
    grid = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("case", "target"):
        grid.add_column(heading, no_wrap=True)
    for figure in sheet.figures:
        grid.add_column(figure.heading.replace(" / ", "\n"), justify="right", no_wrap=True)
    grid.add_column("verdict, doubts", min_width=17)
    for row in printed.rows:
        if row.starts_group:
            grid.add_section()
        cells = (" ".join(cell.text for cell in figure) for figure in row.figures)
        grid.add_row(row.case, row.target, *cells, row.remarks)
    rounds = f" Medians of {printed.rounds} rounds; their range is in summary.md." if printed.rounds > 1 else ""
    console.print(f"\n[bold]{sheet.title}[/bold]\n{sheet.reading}{rounds}", highlight=False)
    console.print(grid)
