"""One figure, three places: what the page and summary.md print is what the CSV holds."""

import csv
from html.parser import HTMLParser
from pathlib import Path

import pytest

from loopfloor.publish.cells import MISSING, format_cell
from loopfloor.publish.sheets import SHEETS
from loopfloor.record import RunFolder
from loopfloor.report import publish
from support.synthetic import make_short_plan, make_whole_run

Rows = list[dict[str, str]]


class Rendered(HTMLParser):
    """The figures of each row of the page by the row's id, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, list[str]] = {}
        self._row: str | None = None
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "tr":
            self._row = found.get("id")
        self._inside = tag == "span" and found.get("class") == "figure"

    def handle_data(self, data: str) -> None:
        if self._inside and self._row:
            self.rows.setdefault(self._row, []).append(data)

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self._inside = False


@pytest.fixture(scope="module", params=[1, 3], ids=["one round", "three rounds"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    plan, failed = make_short_plan(request.param), {"r1-node-pair-slow-x50"}
    run = make_whole_run(tmp_path_factory.mktemp("agree"), plan, failed=failed)
    publish(run)
    return run


def read_rows(run: RunFolder, table: str) -> Rows:
    with (run.path / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_page(run: RunFolder) -> dict[str, list[str]]:
    rendered = Rendered()
    rendered.feed((run.path / "report.html").read_text(encoding="utf-8"))
    return rendered.rows


def parse(text: str) -> int | float | None:
    return None if text == "" else float(text) if "." in text or "e" in text else int(text)


def list_printed(run: RunFolder, table: str) -> dict[str, list[str]]:
    """Return the figures of each printed row as medians.csv has them, in the order of the sheet."""
    sheet = next(sheet for sheet in SHEETS if sheet.table == table)
    medians = {(row["table"], row["figure"], row["target"]): row for row in read_rows(run, "medians")}
    rows = {}
    for row in read_rows(run, table):
        place = f"second {row['second']} " if table == "ramp" and row["second"] else ""
        anchor = "-".join(part for part in (table, row["case"], row.get("second", ""), row["target"]) if part)
        rows[anchor] = [
            format_cell(parse(medians[table, f"{row['case']} {place}{column}", row["target"]]["median"]), column)
            for figure in sheet.figures
            for column in figure.columns
        ]
    return rows


@pytest.mark.parametrize("table", [sheet.table for sheet in SHEETS if sheet.table != "instances"])
def test_page_summary_and_csv_print_the_same_figures(run: RunFolder, table: str) -> None:
    page, printed = read_page(run), list_printed(run, table)
    summary = (run.path / "summary.md").read_text(encoding="utf-8").splitlines()
    assert printed
    for anchor, figures in printed.items():
        assert page[anchor] == figures, anchor
    lines = [line for line in summary if line.startswith("| ")]
    for anchor, figures in printed.items():
        *_, target = anchor.split("-")
        assert [
            line
            for line in lines
            if f"| {target} |" in line and all(word in line for word in figures if word != MISSING)
        ], anchor


def test_with_one_round_a_median_is_the_very_cell_of_its_table(run: RunFolder) -> None:
    if run.read_manifest().plan.rounds > 1:
        pytest.skip("medians of several rounds stand in no cell")
    tables = {
        sheet.table: read_rows(run, sheet.table) for sheet in SHEETS if (run.path / f"{sheet.table}.csv").is_file()
    }
    for median in read_rows(run, "medians"):
        cells = {
            row[median["column"]]
            for row in tables[median["table"]]
            if (row["case"], row["target"], row["repeat"]) == (median["case"], median["target"], "1")
            and row.get("second", "") == median["second"]
        }
        assert parse(median["median"]) in {parse(cell) for cell in cells}, median


def test_an_answer_prints_the_figures_of_the_table(run: RunFolder) -> None:
    (row,) = (
        row
        for row in read_rows(run, "medians")
        if (row["figure"], row["target"]) == ("block-x50 latency_p50_ms", "uvloop") and row["table"] == "pair"
    )
    figure = f"uvloop {format_cell(parse(row['median']), 'latency_p50_ms')}"
    for name in ("summary.md", "report.html"):
        answers = [
            line for line in Path(run.path / name).read_text(encoding="utf-8").splitlines() if "/block × 50" in line
        ]
        assert any(figure in line for line in answers), name
