"""The templates' surroundings: everything is escaped unless it is a drawing of our own."""

import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

FOLDER = Path(__file__).parent
STYLE, SCRIPT = "page.css", "page.js"


def emphasise(text: str) -> Markup:
    """Return text with `**words**` as strong, everything else escaped."""
    return Markup(re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", str(escape(text))))


@cache
def make_environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["emphasise"] = emphasise
    environment.globals["style"] = Markup((FOLDER / STYLE).read_text(encoding="utf-8"))
    environment.globals["script"] = Markup((FOLDER / SCRIPT).read_text(encoding="utf-8"))
    return environment
