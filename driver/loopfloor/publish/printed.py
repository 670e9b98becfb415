"""A sheet as a person reads it: one row per case and target, each cell the median over the rounds with its range.

The terminal, summary.md and the page all print these, so that a figure is the same figure everywhere.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loopfloor.judge.tables.medians import PLACES, group_rounds, name_figure
from loopfloor.publish.cells import AT_LEAST, MISSING, format_cell
from loopfloor.publish.sheets import SHEETS, Row, Sheet, Value


@dataclass(frozen=True)
class Cell:
    """One figure: its median, and least to greatest where there is more than one round."""

    text: str
    range: str = ""


@dataclass(frozen=True)
class PrintedRow:
    """One line; `figures` has a list of cells per figure of the sheet."""

    anchor: str
    case: str
    target: str
    figures: Sequence[Sequence[Cell]]
    remarks: str  # verdict, status and doubts, with the number of rounds where not all agree
    starts_group: bool = False


@dataclass(frozen=True)
class PrintedSheet:
    """A sheet with its rows, and how many rounds are behind them."""

    sheet: Sheet
    rounds: int
    rows: Sequence[PrintedRow]


class Medians:
    """The rows of `medians.csv`, found by table, figure and target."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = {(row["table"], row["figure"], row["target"]): row for row in rows}
        self.targets = list(dict.fromkeys(str(row["target"]) for row in rows))

    def find(self, table: str, figure: str, target: str) -> Row:
        """Return one row; empty where the run has no such figure."""
        return self._rows.get((table, figure, target), {})

    def list_rows(self, table: str) -> list[Row]:
        return [row for row in self._rows.values() if row["table"] == table]

    def list_cases(self, table: str) -> list[str]:
        return list(dict.fromkeys(str(row["case"]) for row in self.list_rows(table)))


def print_cell(row: Row, column: str) -> Cell:
    """Return the cell of one row of `medians.csv`."""
    text = format_cell(row.get("median"), column)
    if text != MISSING and row.get("bounds"):
        text = AT_LEAST + text
    least, greatest = (format_cell(row.get(name), column) for name in ("min", "max"))
    rounds = row.get("rounds")
    several = isinstance(rounds, int) and rounds > 1
    return Cell(text, f"{least} to {greatest}" if several and least != greatest else "")


def print_sheet(sheet: Sheet, rows_of_table: Sequence[Row], medians: Medians) -> PrintedSheet:
    groups = sort_groups(sheet, group_rounds(rows_of_table))
    rows, place = [], None
    for group in groups:
        rows.append(print_row(sheet, group, medians, starts_group=group[0].get(sheet.group) != place))
        place = group[0].get(sheet.group)
    return PrintedSheet(sheet, max((len(group) for group in groups), default=0), rows)


def print_sheets(tables: Mapping[str, Sequence[Row]]) -> list[PrintedSheet]:
    """Return the sheets that have rows, in the order of reading."""
    medians = Medians(tables.get("medians", ()))
    return [printed for sheet in SHEETS if (printed := print_sheet(sheet, tables.get(sheet.table, ()), medians)).rows]


def sort_groups[Group: Sequence[Row]](sheet: Sheet, groups: Sequence[Group]) -> list[Group]:
    """Put the rows with the same case (or second) together, so that the runtimes stand under each other."""
    gathered: dict[Value, list[Group]] = {}
    for group in groups:
        gathered.setdefault(group[0].get(sheet.group), []).append(group)
    return [group for same in gathered.values() for group in same]


def print_row(sheet: Sheet, group: Sequence[Row], medians: Medians, *, starts_group: bool) -> PrintedRow:
    first = group[0]
    case, target = str(first["case"]), str(first["target"])
    found = {
        column: medians.find(sheet.table, name_figure(first, column), target)
        for figure in sheet.figures
        for column in figure.columns
    }
    places = "-".join(str(first[place]) for place in PLACES if first.get(place) is not None)
    return PrintedRow(
        anchor=make_anchor(sheet.table, case, places, target),
        case=case,
        target=target,
        figures=[[print_cell(found[column], column) for column in figure.columns] for figure in sheet.figures],
        remarks=", ".join(count_remarks(group)),
        starts_group=starts_group,
    )


def make_anchor(*words: str) -> str:
    """Return a place to link to: letters, digits and hyphens."""
    return re.sub(r"[^A-Za-z0-9]+", "-", "-".join(word for word in words if word)).strip("-").lower()


def count_remarks(group: Sequence[Row]) -> list[str]:
    """Return what the rows say, each remark with the number of its rounds where it is not said in all."""
    counts: Counter[str] = Counter()
    for row in group:
        words = [row.get("verdict"), row["status"] if row["status"] != "ok" else None]
        words += str(row.get("doubts") or "").split(";")
        counts.update(list(dict.fromkeys(str(word) for word in words if word)))
    several = len(group)
    return [word if count == several else f"{word} ({count} of {several})" for word, count in counts.items()]
