"""Which figures of a row are only lower bounds: quantiles that landed on requests without an answer."""

from collections.abc import Mapping

Value = str | int | float | None


def is_lower_bound(row: Mapping[str, Value], column: str) -> bool:
    """Return whether a latency of the row is at least what it says. Only latencies of all requests can be."""
    if not column.startswith("latency_"):
        return False
    statistic = column.removeprefix("latency_").removesuffix("_ms")
    return statistic in str(row.get("lower_bounds") or "").split(";")
