"""Latency beside the loop's excess, per route: which of the two is high says where the time went."""

from collections.abc import Sequence

from loopfloor.publish.charts.picture import (
    LOG_MS,
    SYMLOG_MS,
    Picture,
    Row,
    dots_with_range,
    first_of_round,
    list_targets,
    make_panel,
    take,
)

PANELS = (
    ("pair-latency", "latency p99, ms", "latency_p99_ms", LOG_MS),
    ("pair-excess", "loop: gap p99 over its floor, ms", "excess_p99_ms", SYMLOG_MS),
)


def make_picture(rows: Sequence[Row]) -> Picture | None:
    first = first_of_round(rows)
    targets, cases = list_targets(first), list(dict.fromkeys(str(row["case"]) for row in first))
    if all(row.get(column) is None for row in first for _, _, column, _ in PANELS):
        return None
    panels = []
    for name, title, column, scale in PANELS:
        value = {"field": column, "type": "quantitative", "title": None} | scale
        place = {
            "y": {"field": "case", "type": "nominal", "sort": cases, "title": None},
            "yOffset": {"field": "target", "sort": targets},
        }
        values = take(first, "target", "case", "round", column)
        layers = dots_with_range(values, value, place, targets)
        panels.append(make_panel(name, title, layers, height=36 * len(cases) + 20))
    return Picture(
        "pair",
        "Latency beside loop excess",
        "A route high on the left alone waits: look downstream. High on both, it holds the loop. The right scale is "
        "linear within 1 ms of the floor, where nothing is claimed, and logarithmic beyond.",
        panels,
    )
