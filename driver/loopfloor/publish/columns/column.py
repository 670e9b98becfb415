"""What one column of a CSV is: its type and its meaning. Units are in the names."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Column:
    """What one column holds."""

    kind: Literal["string", "integer", "number"]
    meaning: str


Columns = dict[str, Column]

# By the end of a name; the first that fits.
UNITS = {"_per_s": "1/s", "_ms": "ms", "_s": "s", "_bytes": "B", "_share": "1", "busy": "1", "_of_capacity": "1"}
RATIOS = ("times_", "over_ideal")


def find_unit(name: str, column: Column) -> str | None:
    """Return the unit that a column's name carries: `1` for shares and ratios. None for text, counts and numbers."""
    if column.kind == "string":
        return None
    if name.startswith(RATIOS):
        return "1"
    return next((unit for end, unit in UNITS.items() if name.endswith(end)), None)


def text(meaning: str) -> Column:
    return Column("string", meaning)


def whole(meaning: str) -> Column:
    return Column("integer", meaning)


def real(meaning: str) -> Column:
    return Column("number", meaning)
