"""Two runs side by side, as Markdown and on the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from loopfloor.judge.conditions import Difference
from loopfloor.publish.cells import MISSING, find_column, format_cell
from loopfloor.publish.sheets import Row
from loopfloor.publish.summary import escape

COLUMNS = ("figure", "target", "first", "second", "change", "A/A band", "claim: the second is")


@dataclass(frozen=True)
class Heading:
    """What stands over a comparison: the runs, what is compared, and what keeps it from being a fair one."""

    runs: tuple[str, str]
    subjects: Sequence[Difference]
    unlike: Sequence[Difference]
    status: Sequence[str]

    @property
    def lines(self) -> list[str]:
        lines = [f"first {self.runs[0]}, second {self.runs[1]}"]
        lines += [f"compared: {subject}" for subject in self.subjects]
        lines += [f"NOT ALIKE: {difference}" for difference in self.unlike]
        return [*lines, *self.status]


def list_cells(row: Row) -> list[str]:
    """Return the printed cells of one row of `comparison.csv`."""
    column = find_column(row["figure"])
    change = format_cell(row["median_change"], "excess")
    if change == MISSING:
        spread = ""
    else:
        least, greatest = (format_cell(row[name], "excess") for name in ("change_min", "change_max"))
        spread = f" ({least} to {greatest})"
    reason = f": {row['reason']}" if row["reason"] else ""
    return [
        str(row["figure"]),
        str(row["target"]),
        format_cell(row["median_a"], column),
        format_cell(row["median_b"], column),
        change + spread,
        format_cell(row["band"], column.removeprefix("excess_")),
        f"{row['claim']}{reason}",
    ]


def format_comparison(heading: Heading, claims: Sequence[Row]) -> str:
    """Return `comparison.md`."""
    lines = ["# loopfloor: two runs side by side", "", *(f"- {escape(line)}" for line in heading.lines), ""]
    lines += [f"| {' | '.join(COLUMNS)} |", f"| --- | --- |{' ---: |' * 4} --- |"]
    return "\n".join([*lines, *(f"| {' | '.join(list_cells(row))} |" for row in claims), ""])


def print_comparison(console: Console, heading: Heading, claims: Sequence[Row]) -> None:
    for line in heading.lines:
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    grid = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for place, name in enumerate(COLUMNS):
        numeric = 2 <= place <= 5
        grid.add_column(name, justify="right" if numeric else "left", no_wrap=numeric)
    for row in claims:
        grid.add_row(*list_cells(row))
    console.print(grid)
