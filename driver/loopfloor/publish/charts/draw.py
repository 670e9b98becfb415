"""From a specification to a drawing: the only room that knows vl-convert."""

import vl_convert

from loopfloor.publish.charts.picture import Panel

PNG_SCALE = 2


def draw_svg(panel: Panel) -> str:
    return str(vl_convert.vegalite_to_svg(panel.spec))


def draw_png(svg: str) -> bytes:
    return bytes(vl_convert.svg_to_png(svg, scale=PNG_SCALE))
