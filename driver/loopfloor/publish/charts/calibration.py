"""Calibration: what the ruler read beyond each known stall, inside the band that theory allows."""

from collections.abc import Sequence

from loopfloor.publish.charts.picture import (
    COLOURS,
    GRID,
    INK,
    Picture,
    Row,
    Spec,
    colour_series,
    first_of_round,
    list_targets,
    make_panel,
)

WITNESSES = {"ruler": ("read", COLOURS[1]), "stopwatch": ("stopwatch", INK)}


def make_picture(rows: Sequence[Row]) -> Picture | None:
    first = [row for row in first_of_round(rows) if row.get("injected_ms") is not None]
    panels = [
        make_panel(f"calibration-{target}", target, draw([row for row in first if row["target"] == target]))
        for target in list_targets(first)
    ]
    if not panels:
        return None
    return Picture(
        "calibration",
        "Read against injected",
        "A dot per round at the median of its shots, a line from the least to the greatest. Grey is the band of "
        "theory: a stall B reads as a gap between max(R, B) and R + B. The stopwatch outside should read B itself.",
        panels,
    )


def draw(rows: Sequence[Row]) -> list[Spec]:
    bands = {row["injected_ms"]: row for row in rows}
    edges = [
        {"injected": injected, "low": minus(row, "band_low_ms"), "high": minus(row, "band_high_ms")}
        for injected, row in bands.items()
    ]
    values = [
        {
            "injected": row["injected_ms"],
            "series": name,
            **{statistic: minus(row, f"{prefix}_{statistic}_ms") for statistic in ("min", "median", "max")},
        }
        for row in rows
        for name, (prefix, _) in WITNESSES.items()
    ]
    x = {
        "field": "injected",
        "type": "quantitative",
        "title": "injected, ms",
        "scale": {"type": "log", "nice": False, "padding": 12},
        "axis": {"values": list(bands)},
    }
    colour = colour_series(list(WITNESSES), [colour for _, colour in WITNESSES.values()])
    y = {"type": "quantitative", "title": "read − injected, ms"}
    return [
        {
            "data": {"values": edges},
            "mark": {"type": "area", "color": GRID, "opacity": 0.6},
            "encoding": {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}},
        },
        {
            "data": {"values": values},
            "mark": {"type": "rule", "strokeWidth": 1.5},
            "encoding": {"x": x, "y": y | {"field": "min"}, "y2": {"field": "max"}, "color": colour},
        },
        {
            "data": {"values": values},
            "mark": {"type": "point", "filled": True, "size": 34},
            "encoding": {"x": x, "y": y | {"field": "median"}, "color": colour},
        },
    ]


def minus(row: Row, column: str) -> float | None:
    """Return a reading without the stall that was injected."""
    value, injected = row.get(column), row["injected_ms"]
    return value - injected if isinstance(value, int | float) and isinstance(injected, int | float) else None
