"""The CSV files: RFC 4180, UTF-8, `\\n`, dot decimals whatever the locale, blank for missing."""

import csv
import io
from collections.abc import Iterable, Mapping

from loopfloor.publish.columns import COMPARISON_TABLES, TABLES

SIGNIFICANT_DIGITS = 7

Value = str | int | float | None


def format_table(name: str, rows: Iterable[Mapping[str, Value]]) -> str:
    """Return one CSV file. Raises KeyError where a row and its table's columns part."""
    columns = (TABLES | COMPARISON_TABLES)[name]
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        if unknown := row.keys() - columns.keys():
            raise KeyError(f"{name} has no column {', '.join(sorted(unknown))}")
        writer.writerow([format_value(row.get(column)) for column in columns])
    return text.getvalue()


def format_value(value: Value) -> str:
    """Seven digits: finer than any clock here, and the same text from the same raw files everywhere."""
    if value is None:
        return ""
    return repr(round_figure(value)) if isinstance(value, float) else str(value)


def round_figure(value: float) -> float:
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")
