"""The page of a comparison: the claims first, then every printed figure of both runs."""

from collections.abc import Iterator, Sequence

from loopfloor.publish.cells import find_column, format_cell
from loopfloor.publish.comparison import COLUMNS, Heading, list_cells
from loopfloor.publish.page.template import make_environment
from loopfloor.publish.printed import make_anchor
from loopfloor.publish.sheets import Row


def format_comparison_page(heading: Heading, claims: Sequence[Row], side_by_side: Sequence[Row]) -> str:
    """Return `comparison.html`."""
    return (
        make_environment()
        .get_template("comparison.html.j2")
        .render(
            heading=heading,
            columns=COLUMNS,
            claims=[(make_anchor("claim", *list_cells(row)[:2]), list_cells(row)) for row in claims],
            tables=list(list_tables(side_by_side)),
        )
    )


def list_tables(rows: Sequence[Row]) -> Iterator[tuple[str, list[tuple[str, str, list[str]]]]]:
    """Yield each table's name, and of each figure its words, the target and the cells of both runs."""
    for table in dict.fromkeys(str(row["table"]) for row in rows):
        yield table, [list_pair(row) for row in rows if row["table"] == table]


def list_pair(row: Row) -> tuple[str, str, list[str]]:
    column = find_column(row["figure"])
    names = [f"{name}_{letter}" for letter in ("a", "b") for name in ("median", "min", "max")]
    return str(row["figure"]), str(row["target"]), [format_cell(row[name], column) for name in names]
