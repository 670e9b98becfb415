"""The pictures of a run: Vega-Lite specifications from the rows of its tables, drawn by vl-convert."""

from collections.abc import Callable, Mapping, Sequence

from loopfloor.plan import Headline
from loopfloor.publish.charts import burst, calibration, floor, pair, ramp, rounds, saturation
from loopfloor.publish.charts.picture import Picture, Row

__all__ = ["Picture", "make_pictures"]

MAKERS: Mapping[str, Callable[[Sequence[Row]], Picture | None]] = {
    "floor": floor.make_picture,
    "calibration": calibration.make_picture,
    "pair": pair.make_picture,
    "ramp": ramp.make_picture,
    "burst": burst.make_picture,
    "saturation": saturation.make_picture,
}


def make_pictures(tables: Mapping[str, Sequence[Row]], headlines: Sequence[Headline]) -> list[Picture]:
    """Return the pictures of the scenarios that have figures, and the rounds of the headline figures."""
    found = [make(tables.get(name, ())) for name, make in MAKERS.items()]
    found.append(rounds.make_picture(tables, headlines))
    return [picture for picture in found if picture is not None]
