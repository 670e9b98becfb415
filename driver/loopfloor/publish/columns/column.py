"""What one column of a CSV is: its type and its meaning. Units are in the names."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Column:
    """What one column holds."""

    kind: Literal["string", "integer", "number"]
    meaning: str


Columns = dict[str, Column]


def text(meaning: str) -> Column:
    return Column("string", meaning)


def whole(meaning: str) -> Column:
    return Column("integer", meaning)


def real(meaning: str) -> Column:
    return Column("number", meaning)
