"""The page of a run: the question, the answers and doubts, then each table with its picture."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from loopfloor.publish.answers import word_answers, word_claim
from loopfloor.publish.cells import MISSING
from loopfloor.publish.charts import Picture
from loopfloor.publish.others import compare_published
from loopfloor.publish.page.template import make_environment
from loopfloor.publish.printed import make_anchor, print_sheets
from loopfloor.publish.sheets import Row
from loopfloor.publish.summary import QUESTION, format_head, format_row

DRAWING = re.compile(r"<svg.*?</svg>", re.DOTALL)
REMARKS: Mapping[str, str] = {
    "ramp": "Response time counts from when a request was due, service time from when it was sent. Past capacity the "
    "two part: the server sees 63 ms, the user waits 30 s. Neither is wrong; only the first is what a user feels.",
    "pair": "By-sample percentiles hide stalls: a loop that is held for 1.5 s at a time gives five samples, an idle "
    "one five hundred. The wait weighs by time.",
}


@dataclass(frozen=True)
class Page:
    """What the page says beside the tables."""

    run_id: str
    status: str
    conditions: str
    notes: Sequence[str]
    files: Sequence[str]


def format_page(
    page: Page, tables: Mapping[str, Sequence[Row]], pictures: Sequence[Picture], drawings: Mapping[str, str]
) -> str:
    """Return the file. `drawings` has the SVG text of each panel by name; one that is missing leaves its frame."""
    by_table = {picture.table: picture for picture in pictures}
    return (
        make_environment()
        .get_template("report.html.j2")
        .render(
            page=page,
            question=QUESTION,
            answers=word_answers(tables),
            sections=print_sheets(tables),
            pictures=by_table,
            drawings={name: embed(name, svg) for name, svg in drawings.items()},
            remarks=REMARKS,
            claims=[(row, word_claim(row)) for row in tables.get("claims", ())],
            others=compare_published(tables),
            targets=[(row["target"], list_target(row)) for row in tables.get("targets", ())],
            anchor=make_anchor,
            markdown=format_row,
            head=format_head,
        )
    )


def list_target(row: Row) -> list[str]:
    """Return the cells of a target: what it did not say is a dash."""
    runtime = f"{row['runtime'] or 'unknown'} {row['runtime_version'] or ''}".strip()
    found = [row["loop_class"], row["cores"], row["pool_size"], str(row["versions"] or "").replace(";", ", ") or None]
    return [runtime, *(MISSING if cell is None else str(cell) for cell in found)]


def embed(name: str, svg: str) -> Markup:
    """Return a drawing for the middle of a page: its ids are its own, its name is read out by the frame around it."""
    own = re.sub(r'(id="|url\(#)', rf"\g<1>{name}-", svg)
    return Markup(own.replace("<svg ", '<svg aria-hidden="true" focusable="false" ', 1))


def strip_pictures(html: str) -> str:
    """Return a page without its drawings: they are from another program, the figures beside them are ours."""
    return DRAWING.sub("", html)
