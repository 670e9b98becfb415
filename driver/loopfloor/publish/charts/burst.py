"""A burst as a timeline: one bar per request, what it stood behind and what it did itself."""

from collections.abc import Sequence

from loopfloor.publish.charts.picture import COLOURS, Picture, Row, Spec, colour_series, list_targets, make_panel

QUEUEING, SERVICE = "queueing", "service (own work)"


def make_picture(rows: Sequence[Row]) -> Picture | None:
    answered = [row for row in rows if row.get("request") is not None]
    panels = [
        make_panel(f"burst-{target}", target, draw(pick_first([row for row in answered if row["target"] == target])))
        for target in list_targets(answered)
    ]
    if not panels:
        return None
    return Picture(
        "burst",
        "One burst as a timeline",
        "A bar per request of the first burst, from its send to its answer. One is slow by its own work; the others "
        "stood behind it. A request without a bar had no answer.",
        panels,
    )


def pick_first(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the first trial."""
    return [row for row in rows if row["trial"] == rows[0]["trial"]]


def draw(rows: Sequence[Row]) -> list[Spec]:
    values = []
    for row in rows:
        done, own, taken = (read(row, name) for name in ("done_ms", "own_work_ms", "taken_ms"))
        if done is None or own is None or taken is None:
            values.append({"request": row["request"], "series": QUEUEING, "from": None, "to": None})
            continue
        begun = max(done - own, done - taken)
        values.append({"request": row["request"], "series": QUEUEING, "from": done - taken, "to": begun})
        values.append({"request": row["request"], "series": SERVICE, "from": begun, "to": done})
    encoding = {
        "y": {"field": "request", "type": "ordinal", "title": "request"},
        "x": {"field": "from", "type": "quantitative", "title": "ms since the burst was due"},
        "x2": {"field": "to"},
        "color": colour_series([QUEUEING, SERVICE], [COLOURS[0], COLOURS[1]]),
    }
    return [{"data": {"values": values}, "mark": {"type": "bar", "height": {"band": 0.7}}, "encoding": encoding}]


def read(row: Row, column: str) -> float | None:
    value = row.get(column)
    return float(value) if isinstance(value, int | float) else None
