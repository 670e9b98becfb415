"""`medians.csv`: each printed figure across the rounds, as its median with the least and the greatest.

Of a target measured twice a round (A/A), the first. Medians only: never a best round, never a mean of percentiles.
"""

from collections.abc import Mapping, Sequence
from statistics import median

from loopfloor.judge.lower_bounds import is_lower_bound
from loopfloor.judge.tables.reading import Row, Value

PLACES = ("second", "instance")  # what else tells the rows of one case and target apart


def name_figure(row: Mapping[str, Value], column: str) -> str:
    """Return the words of a figure: its case, where in it, and its column, as in `claims.csv`."""
    places = [f"{place} {row[place]}" for place in PLACES if row.get(place) is not None]
    return " ".join([str(row["case"]), *places, column])


def make_rows(run_id: str, tables: Mapping[str, Sequence[Row]], printed: Mapping[str, Sequence[str]]) -> list[Row]:
    """Return a row per table, target and figure. `printed` names the columns of each table that are wanted."""
    rows: list[Row] = []
    for table, columns in printed.items():
        for group in group_rounds(tables.get(table, ())):
            key: Row = {"run_id": run_id, "table": table}
            rows += [key | summarise(group, column) for column in columns]
    return rows


def group_rounds[AnyRow: Mapping[str, Value]](rows: Sequence[AnyRow]) -> list[list[AnyRow]]:
    """Return the rows that differ in their round alone; of several rows of one trial with the same key, the first."""
    groups: dict[tuple[Value, ...], dict[Value, AnyRow]] = {}
    for row in rows:
        if row.get("repeat") in (None, 1):
            key = (row["case"], row["target"], *(row.get(place) for place in PLACES))
            groups.setdefault(key, {}).setdefault(row["round"], row)
    return [list(group.values()) for group in groups.values()]


def summarise(group: Sequence[Row], column: str) -> Row:
    """Return one figure over its rounds: blank where no round has it."""
    values = [value for row in group if isinstance(value := row.get(column), int | float)]
    first = group[0]
    return {
        "figure": name_figure(first, column),
        "target": first["target"],
        "case": first["case"],
        **{place: first.get(place) for place in PLACES},
        "column": column,
        "rounds": len(values),
        "median": find_middle(values) if values else None,
        "min": min(values, default=None),
        "max": max(values, default=None),
        "bounds": sum(is_lower_bound(row, column) for row in group),
    }


def find_middle(values: Sequence[int | float]) -> int | float:
    """Return the median; of counts a count, unless it lies between two."""
    middle = median(values)
    return int(middle) if all(isinstance(value, int) for value in values) and middle == int(middle) else middle
