"""A picture is a few panels with one caption. The look that all panels share is here: sizes, colours, scales.

A panel is as wide as a phone, so that its letters keep their size everywhere; the page lays panels side by side.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Value = str | int | float | None
Row = Mapping[str, Value]
Spec = dict[str, Any]

WIDTH, HEIGHT = 280, 190
INK, GRID, PAPER = "#1f2328", "#d8dee4", "white"  # the page gives these three others on a dark screen
# Told apart by people with any colour vision, on light and dark; shapes tell them apart once more.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0569b", "#8c6d1f", "#5b6ee1", "#c23b4e", "#3f8f8f")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
# Linear within 1 ms of zero, where nothing is claimed, and logarithmic beyond.
SYMLOG_MS: Spec = {
    "scale": {"type": "symlog", "constant": 1},
    "axis": {"values": [-100, -10, -1, 0, 1, 10, 100, 1000, 10_000]},
}
LOG_MS: Spec = {"scale": {"type": "log"}, "axis": {"values": [0.1, 1, 10, 100, 1000, 10_000]}}


@dataclass(frozen=True)
class Panel:
    """One drawing; `name` is that of its files, `title` what it shows."""

    name: str
    title: str
    spec: Spec


@dataclass(frozen=True)
class Picture:
    """The panels of one table, with the sentence that says how to read them."""

    table: str
    title: str
    caption: str
    panels: Sequence[Panel]


def make_panel(name: str, title: str, layers: Sequence[Spec], *, height: int = HEIGHT, **more: Any) -> Panel:
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "width": WIDTH,
        "height": height,
        "background": PAPER,
        "title": title,
        "config": CONFIG,
        "layer": list(layers),
    }
    return Panel(name, title, spec | more)


CONFIG: Spec = {
    "aria": False,
    "font": "sans-serif",
    "title": {"color": INK, "fontSize": 13, "anchor": "start"},
    "view": {"stroke": GRID},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": GRID,
        "domainColor": GRID,
        "tickColor": GRID,
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
    },
    "legend": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 11,
        "orient": "bottom",
        "title": None,
        "columns": 3,
        "symbolSize": 60,
    },
    "text": {"fill": INK, "fontSize": 11},
}


def list_targets(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(str(row["target"]) for row in rows))


def colour_targets(targets: Sequence[str]) -> Spec:
    """Return the encoding that gives each target its colour, and its place in the legend."""
    return {"field": "target", "type": "nominal", "scale": {"domain": list(targets), "range": repeat(COLOURS, targets)}}


def shape_targets(targets: Sequence[str]) -> Spec:
    return {"field": "target", "type": "nominal", "scale": {"domain": list(targets), "range": repeat(SHAPES, targets)}}


def colour_series(names: Sequence[str], colours: Sequence[str]) -> Spec:
    return {"field": "series", "type": "nominal", "scale": {"domain": list(names), "range": list(colours)}}


def repeat(values: Sequence[str], wanted: Sequence[str]) -> list[str]:
    return [values[index % len(values)] for index in range(len(wanted))]


def first_of_round(rows: Sequence[Row]) -> list[Row]:
    """Return the rows without the A/A repeats."""
    return [row for row in rows if row.get("repeat") in (None, 1)]


def take(rows: Sequence[Row], *columns: str) -> list[dict[str, Value]]:
    """Return rows of these columns alone: what a picture holds. A figure that is missing leaves a gap."""
    return [{column: row.get(column) for column in columns} for row in rows]


def dots_with_range(values: Sequence[Row], value: Spec, place: Spec, targets: Sequence[str]) -> list[Spec]:
    """Return layers: every round a dot, a line from the least to the greatest, a tick at the median.

    `value` is the horizontal encoding without its aggregate, `place` the vertical ones.
    """
    data, colour = {"values": list(values)}, colour_targets(targets)
    span = {"x": value | {"aggregate": "min"}, "x2": {"field": value["field"], "aggregate": "max"}}
    dots = {"x": value, "shape": shape_targets(targets)}
    return [
        {"data": data, "mark": {"type": "rule", "strokeWidth": 1.5}, "encoding": place | span | {"color": colour}},
        {
            "data": data,
            "mark": {"type": "point", "filled": True, "size": 34, "opacity": 0.75},
            "encoding": place | dots | {"color": colour},
        },
        {
            "data": data,
            "mark": {"type": "tick", "thickness": 2, "size": 13},
            "encoding": place | {"x": value | {"aggregate": "median"}, "color": colour},
        },
    ]
