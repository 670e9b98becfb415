"""A ramp by the second: latency, the loop and the ideal lane, one panel per runtime."""

from collections.abc import Sequence

from loopfloor.publish.charts.picture import (
    COLOURS,
    INK,
    LOG_MS,
    Picture,
    Row,
    Spec,
    colour_series,
    first_of_round,
    list_targets,
    make_panel,
)

SERIES = {
    "latency p50": ("latency_p50_ms", COLOURS[0]),
    "loop: gap p99": ("gap_p99_ms", COLOURS[1]),
    "ideal lane p50": ("ideal_p50_ms", INK),
}


def make_picture(rows: Sequence[Row]) -> Picture | None:
    first = [row for row in first_of_round(rows) if row.get("second") is not None]
    panels = [
        make_panel(f"ramp-{target}", target, draw([row for row in first if row["target"] == target]))
        for target in list_targets(first)
    ]
    if not panels:
        return None
    return Picture(
        "ramp",
        "Latency, loop and the ideal lane, second by second",
        "Where the lane is full, latency counted from the intended send leaves the loop's own delay behind: the "
        "requests stand in front of the loop, where it does not see them. Lines are medians, dots are rounds.",
        panels,
    )


def draw(rows: Sequence[Row]) -> list[Spec]:
    values = [
        {"second": row["second"], "round": row["round"], "series": name, "ms": positive(row.get(column))}
        for row in rows
        for name, (column, _) in SERIES.items()
    ]
    encoding: Spec = {
        "x": {"field": "second", "type": "quantitative", "title": "second (= ms of work per request)"},
        "y": {"field": "ms", "type": "quantitative", "title": "ms"} | LOG_MS,
        "color": colour_series(list(SERIES), [colour for _, colour in SERIES.values()]),
    }
    data = {"values": values}
    return [
        {
            "data": data,
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": encoding | {"y": encoding["y"] | {"aggregate": "median"}},
        },
        {"data": data, "mark": {"type": "point", "filled": True, "size": 14, "opacity": 0.5}, "encoding": encoding},
    ]


def positive(value: str | float | None) -> float | None:
    """A logarithm has no zero: such a figure leaves a gap."""
    return float(value) if isinstance(value, int | float) and value > 0 else None
