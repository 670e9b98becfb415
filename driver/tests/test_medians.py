"""Across the rounds: medians with least and greatest, of first measurements, and which of them are bounds."""

from typing import Any

import pytest

from loopfloor.judge.tables.medians import group_rounds, make_rows
from loopfloor.publish.cells import format_cell
from loopfloor.publish.printed import Medians, print_cell, print_sheet
from loopfloor.publish.sheets import SHEETS, Row

PAIR = next(sheet for sheet in SHEETS if sheet.table == "pair")


def make_row(round_number: int, value: float | None, **fields: Any) -> Row:
    row = {"round": round_number, "target": "node", "case": "noop-x1", "repeat": 1, "status": "ok", "trial": "t"}
    return row | {"latency_p50_ms": value} | fields


def summarise(*rows: Row) -> Row:
    (row,) = make_rows("run", {"pair": [dict(row) for row in rows]}, {"pair": ["latency_p50_ms"]})
    return row


def test_a_figure_across_rounds_is_its_median_with_least_and_greatest() -> None:
    row = summarise(make_row(1, 3.0), make_row(2, 1.0), make_row(3, 8.0))
    assert [row[name] for name in ("rounds", "median", "min", "max")] == [3, 3.0, 1.0, 8.0]
    assert row["figure"] == "noop-x1 latency_p50_ms"


def test_the_second_measurement_of_a_round_is_for_the_band_and_not_for_the_median() -> None:
    assert summarise(make_row(1, 3.0), make_row(1, 9.0, repeat=2))["median"] == 3.0


def test_a_round_without_the_figure_is_not_counted_and_none_leaves_blanks() -> None:
    assert summarise(make_row(1, None), make_row(2, 4.0))["rounds"] == 1
    row = summarise(make_row(1, None))
    assert (row["rounds"], row["median"], row["min"], row["max"]) == (0, None, None, None)


def test_a_median_of_counts_is_a_count() -> None:
    (row,) = make_rows("r", {"burst": [make_row(n, 1.0, slow=8) for n in (1, 2)]}, {"burst": ["slow"]})  # type: ignore[list-item]
    assert repr(row["median"]) == "8"


def test_seconds_and_instances_are_figures_of_their_own() -> None:
    rows = [make_row(1, 1.0, second=second) for second in (0, 1)] + [make_row(1, 1.0, instance=n) for n in (1, 2)]
    assert len(group_rounds(rows)) == 4


def test_a_figure_that_is_a_bound_in_some_round_is_printed_as_at_least() -> None:
    row = summarise(make_row(1, 3.0), make_row(2, 9.0, lower_bounds="p50;p99"))
    assert row["bounds"] == 1
    assert print_cell(row, "latency_p50_ms").text.startswith("≥ ")


@pytest.mark.parametrize(
    ("value", "column", "text"),
    [
        (None, "x_ms", "–"),
        (0.123456, "busy", "12.3"),
        (12.345, "gap_ms", "12.35"),
        (123.4, "excess_p50_ms", "+123"),
        (8, "slow", "8"),
    ],
)
def test_a_cell_is_what_a_person_compares(value: float | None, column: str, text: str) -> None:
    assert format_cell(value, column) == text


def test_a_remark_says_in_how_many_rounds_it_holds() -> None:
    rows = [make_row(1, 1.0, verdict="healthy", doubts="disturbed"), make_row(2, 1.0, verdict="healthy", doubts="")]
    (printed,) = print_sheet(PAIR, rows, Medians([])).rows
    assert printed.remarks == "healthy, disturbed (1 of 2)"
