"""Floors per target and resolution: how far above its interval an idle loop reads."""

from collections.abc import Sequence

from loopfloor.publish.charts.picture import (
    Picture,
    Row,
    dots_with_range,
    first_of_round,
    list_targets,
    make_panel,
    take,
)

PANELS = {"p50": "median gap over R", "p99": "99th percentile over R"}


def make_picture(rows: Sequence[Row]) -> Picture | None:
    idle = [row for row in first_of_round(rows) if row.get("loop") == "idle" and row.get("gap_p50_ms") is not None]
    targets = list_targets(idle)
    if not targets:
        return None
    panels = []
    for statistic, title in PANELS.items():
        column = f"over_interval_{statistic}_ms"
        value = {"field": column, "type": "quantitative", "title": "gap − R, ms", "axis": {"tickCount": 5}}
        place = {
            "y": {"field": "interval_ms", "type": "ordinal", "title": "R, ms"},
            "yOffset": {"field": "target", "sort": targets},
        }
        values = take(idle, "target", "round", "interval_ms", column)
        panels.append(make_panel(f"floor-{statistic}", title, dots_with_range(values, value, place, targets)))
    return Picture(
        "floor",
        "Floors by target and resolution",
        "What an idle loop reads beyond its own sampling interval R. A dot per round, a line from least to greatest, "
        "a tick at the median. Every reading below stands against these.",
        panels,
    )
