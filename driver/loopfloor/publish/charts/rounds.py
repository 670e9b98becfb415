"""The headline figures round by round: what the claims are made of. The second measurement of a round is hollow."""

from collections.abc import Mapping, Sequence

from loopfloor.plan import Headline
from loopfloor.publish.charts.picture import Picture, Row, colour_targets, dots_with_range, list_targets, make_panel

EACH_PX = 30


def make_picture(tables: Mapping[str, Sequence[Row]], headlines: Sequence[Headline]) -> Picture | None:
    panels = []
    for headline in headlines:
        rows = [row for row in tables.get(headline.table, ()) if is_of(headline, row)]
        targets = list_targets(rows)
        if not targets:
            continue
        value = {"field": "value", "type": "quantitative", "title": None, "scale": {"zero": False}}
        place = {"y": {"field": "target", "type": "nominal", "sort": targets, "title": None}}
        first, again = (
            [{"target": row["target"], "value": row[headline.column]} for row in rows if row["repeat"] == repeat]
            for repeat in (1, 2)
        )
        hollow = {
            "data": {"values": again},
            "mark": {"type": "point", "filled": False, "size": 34, "yOffset": 7},
            "encoding": place | {"x": value, "color": colour_targets(targets) | {"legend": None}},
        }
        layers = [*dots_with_range(first, value, place, targets), *([hollow] if again else [])]
        name = "rounds-" + headline.name.replace(" ", "-").replace("_", "-")
        panels.append(make_panel(name, headline.name, layers, height=EACH_PX * len(targets)))
    if not panels:
        return None
    return Picture(
        "claims",
        "The headline figures, round by round",
        "A filled dot per round, a line from least to greatest, a tick at the median; hollow, the same target measured "
        "again in the same round (A/A). A difference that is no larger than those is not resolved.",
        panels,
    )


def is_of(headline: Headline, row: Row) -> bool:
    same = row["case"] == headline.case and row.get("second") == headline.second
    return same and row.get(headline.column) is not None
