"""Saturation: the loop's excess and the latency against how busy the loop is, the knee marked."""

from collections.abc import Sequence
from statistics import median

from loopfloor.publish.charts.picture import (
    COLOURS,
    INK,
    SYMLOG_MS,
    Picture,
    Row,
    Spec,
    colour_series,
    first_of_round,
    list_targets,
    make_panel,
)

SERIES = {"latency p99": ("latency_p99_ms", COLOURS[0]), "loop: gap p99 over floor": ("excess_p99_ms", COLOURS[1])}


def make_picture(rows: Sequence[Row]) -> Picture | None:
    first = [row for row in first_of_round(rows) if row.get("busy") is not None]
    panels = [
        make_panel(f"saturation-{target}", target, draw([row for row in first if row["target"] == target]))
        for target in list_targets(first)
    ]
    if not panels:
        return None
    return Picture(
        "saturation",
        "Lag and latency against busy",
        "A dot per rate and round, a line through the medians of the rates. The dashed line is the knee: beyond it the "
        "tail no longer holds.",
        panels,
    )


def draw(rows: Sequence[Row]) -> list[Spec]:
    dots = [
        {"busy": row["busy"], "series": name, "ms": row.get(column), "rate": row.get("rate_per_s")}
        for row in rows
        for name, (column, _) in SERIES.items()
    ]
    encoding: Spec = {
        "x": {
            "field": "busy",
            "type": "quantitative",
            "title": "busy",
            "axis": {"format": ".0%"},
            "scale": {"domain": [0, 1]},
        },
        "y": {"field": "ms", "type": "quantitative", "title": "ms"} | SYMLOG_MS,
        "color": colour_series(list(SERIES), [colour for _, colour in SERIES.values()]),
    }
    layers: list[Spec] = [
        {
            "data": {"values": find_middles(rows)},
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": encoding | {"order": {"field": "rate"}},
        },
        {
            "data": {"values": dots},
            "mark": {"type": "point", "filled": True, "size": 26, "opacity": 0.7},
            "encoding": encoding,
        },
    ]
    return layers + draw_knee(rows)


def find_middles(rows: Sequence[Row]) -> list[Row]:
    """Return the median busy and ms of each rate: what the line goes through."""
    middles: list[Row] = []
    for rate in dict.fromkeys(row.get("rate_per_s") for row in rows):
        same = [row for row in rows if row.get("rate_per_s") == rate]
        for name, (column, _) in SERIES.items():
            known = [(float(row["busy"] or 0), float(row[column] or 0)) for row in same if row.get(column) is not None]
            if known:
                busy, ms = (median(values) for values in zip(*known, strict=True))
                middles.append({"busy": busy, "ms": ms, "series": name, "rate": rate})
    return middles


def draw_knee(rows: Sequence[Row]) -> list[Spec]:
    knees = {row["round"]: row for row in rows if row.get("knee_busy") is not None}
    if not knees:
        return []
    busy = median(float(row["knee_busy"] or 0) for row in knees.values())
    rate = median(float(row["knee_per_s"] or 0) for row in knees.values())
    data, place = {"values": [{"busy": busy}]}, {"x": {"field": "busy", "type": "quantitative"}}
    mark = {"type": "text", "align": "right", "dx": -4, "y": 10, "text": f"knee {rate:g}/s"}
    return [
        {"data": data, "mark": {"type": "rule", "strokeDash": [4, 3], "color": INK}, "encoding": place},
        {"data": data, "mark": mark, "encoding": place},
    ]
