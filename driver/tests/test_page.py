"""The page of a run in a real browser: whole, self-contained, readable on a phone, open to everybody."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from loopfloor.publish.page import strip_pictures
from loopfloor.record import RunFolder
from loopfloor.report import LivePage, publish
from loopfloor.verify import find_differences
from support.browser import DESK, PHONE, Opened, open_page
from support.synthetic import make_short_plan, make_whole_run

HOSTILE = '<script>alert("µ")</script>|`x`'
MOST_BYTES = 3_000_000
PICTURES = {"floor", "calibration", "pair", "ramp", "burst", "saturation", "rounds"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """Two rounds of everything, with failed trials and a machine that has a hostile name."""
    failed = {"r1-node-pair-slow-x50", "r1-uvloop-ramp-ramp", "r2-uvloop-ramp-ramp", "r1-asyncio-burst-block-300ms"}
    run = make_whole_run(tmp_path_factory.mktemp("page"), make_short_plan(2), failed=failed)
    host = run.read_manifest().host.model_copy(update={"cpu_model": HOSTILE})
    run.update_manifest(host=host)
    publish(run)
    return run


@pytest.fixture(scope="module")
def desk(browser: Browser, run: RunFolder) -> Iterator[Opened]:
    with open_page(browser, run.path / "report.html", width=DESK) as opened:
        yield opened


def test_the_page_needs_nothing_but_itself_and_complains_of_nothing(desk: Opened) -> None:
    assert desk.complaints == []
    assert desk.requests == []
    html = desk.page.content()
    assert "http://" not in html.replace("http://www.w3.org", "")
    assert len(html.encode()) < MOST_BYTES


def test_the_page_begins_with_the_question_the_answers_and_the_doubts(desk: Opened) -> None:
    assert "How late" in desk.page.inner_text("h1")
    headings = desk.page.locator("h2").all_inner_texts()
    assert headings[:2] == ["Answers", "Doubts"]
    subjects = desk.page.locator("#answers .subject").all_inner_texts()
    assert list(dict.fromkeys(subjects)) == [
        "floor", "calibration", "pair", "ramp", "burst", "saturation", "stall", "shed", "claims",
    ]  # fmt: skip


def test_every_anchor_resolves_and_no_id_stands_twice(desk: Opened) -> None:
    broken, twice = desk.page.evaluate(
        """() => {
          const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
          const links = [...document.querySelectorAll("a[href^='#']")].map((each) => each.hash.slice(1));
          return [links.filter((id) => !document.getElementById(id)), ids.filter((id, at) => ids.indexOf(id) !== at)];
        }"""
    )
    assert broken == []
    assert twice == []


def test_every_file_that_the_page_names_is_there(run: RunFolder, desk: Opened) -> None:
    names = desk.page.eval_on_selector_all(
        "a:not([href^='#'])", "links => links.map((each) => each.getAttribute('href'))"
    )
    assert "pair.csv" in names
    assert [name for name in names if not (run.path / name).is_file()] == []


def test_every_row_and_picture_has_a_place_to_link_to_and_a_button(desk: Opened) -> None:
    rows = desk.page.locator("tbody tr")
    assert rows.count() > 80
    assert rows.locator("button.copy").count() == rows.count() == desk.page.locator("tbody tr[id]").count()
    pictures = desk.page.locator("figure[id]")
    assert pictures.count() == pictures.locator("button.copy").count() == pictures.locator("svg").count()
    assert {name.split("-")[1] for name in pictures.evaluate_all("all => all.map((each) => each.id)")} == PICTURES


@pytest.mark.parametrize(
    ("selector", "words"),
    [
        ("#pair-block-x50-node button", "| block-x50 | node |"),
        ("#pair > .head button", "| noop-x1 | asyncio |"),
        ("#chart-ramp-node button", "](charts/ramp-node.svg)"),
    ],
)
def test_a_button_copies_markdown_with_the_run_and_the_place(
    run: RunFolder, desk: Opened, selector: str, words: str
) -> None:
    desk.page.click(selector)
    text = desk.page.evaluate("navigator.clipboard.readText()")
    assert words in text
    assert f"loopfloor run {run.run_id}, file://" in text


def test_a_copied_row_stands_in_the_summary(run: RunFolder, desk: Opened) -> None:
    summary = (run.path / "summary.md").read_text(encoding="utf-8").splitlines()
    rows = desk.page.eval_on_selector_all(
        "section:not(#claims):not(#others):not(#targets) tr[data-markdown]",
        "all => all.map((each) => each.dataset.markdown)",
    )
    assert rows
    assert set(rows) <= set(summary)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_nothing_scrolls_sideways_and_nobody_is_shut_out(
    browser: Browser, run: RunFolder, width: int, *, dark: bool
) -> None:
    with open_page(browser, run.path / "report.html", width=width, dark=dark) as opened:
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(opened.page).response["violations"]
        serious = [fault for fault in found if fault["impact"] in ("serious", "critical")]
        assert [(fault["id"], fault["nodes"][0]["html"][:200]) for fault in serious] == []
        if shots := os.environ.get("LOOPFLOOR_SHOTS"):  # to be looked at
            opened.page.screenshot(path=f"{shots}/report-{width}-{'dark' if dark else 'light'}.png", full_page=True)


def test_the_themes_differ_and_pictures_follow_them(browser: Browser, run: RunFolder) -> None:
    colours = []
    for dark in (False, True):
        with open_page(browser, run.path / "report.html", dark=dark) as opened:
            paper = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
            label = opened.page.evaluate(
                "getComputedStyle(document.querySelector('figure svg text[fill=\"#1f2328\"]')).fill"
            )
            colours.append((paper, label))
    assert colours[0][0] != colours[1][0]
    assert colours[0][1] != colours[1][1]


def test_text_from_outside_stays_text(run: RunFolder, desk: Opened) -> None:
    assert HOSTILE in desk.page.inner_text("header")
    assert desk.page.locator("script").count() == 1
    assert "it <b>fell</b>" in desk.page.inner_text("#doubts")
    summary = (run.path / "summary.md").read_text(encoding="utf-8")
    assert "<script>" not in summary.replace("\\<script>", "")


def test_what_failed_leaves_a_gap_and_not_a_zero(desk: Opened) -> None:
    assert desk.page.locator("#chart-ramp-node").count() == 1
    assert desk.page.locator("#chart-ramp-uvloop").count() == 0
    figures = desk.page.locator("#ramp-ramp-uvloop .figure").all_inner_texts()
    assert figures
    assert set(figures) == {"–"}
    assert "failed" in desk.page.locator("#ramp-ramp-uvloop td.words").last.inner_text()


def test_every_picture_is_a_file_too(run: RunFolder, desk: Opened) -> None:
    names = desk.page.locator("figure[id]").evaluate_all("all => all.map((each) => each.id.slice(6))")
    for name in names:
        svg = (run.path / "charts" / f"{name}.svg").read_text(encoding="utf-8")
        assert svg.startswith("<svg")
        assert (run.path / "charts" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_the_page_and_the_method_say_why_response_and_service_time_part(desk: Opened) -> None:
    """wrk2#54, vegeta#223: the server says 63 ms, you say 30 s."""
    assert "the server sees 63 ms, the user waits 30 s" in desk.page.inner_text("#ramp")
    method = (Path(__file__).parents[2] / "results" / "METHOD.md").read_text(encoding="utf-8")
    assert "## Why response time and service time part" in method


def test_other_peoples_figures_stand_beside_ours_and_are_marked(desk: Opened) -> None:
    words = desk.page.inner_text("#others")
    assert "not measured here" in words
    assert "Windows timers" in words
    assert desk.page.locator("#others tbody tr").count() > 20


def test_verify_reads_the_page_too(run: RunFolder) -> None:
    assert list(find_differences(run)) == []
    html = (run.path / "report.html").read_text(encoding="utf-8")
    cell = '<span class="figure">'
    at = strip_pictures(html).index(cell)
    forged = html.replace(strip_pictures(html)[at : at + 40], cell + "999", 1)
    (run.path / "report.html").write_text(forged, encoding="utf-8")
    assert [line for line in find_differences(run) if line.startswith("report.html")]
    (run.path / "report.html").write_text(html, encoding="utf-8")


def test_while_a_run_goes_on_the_page_says_what_is_done_and_comes_back(
    browser: Browser, run: RunFolder, tmp_path: Path
) -> None:
    live = RunFolder(tmp_path / "live")
    (live.path).mkdir()
    (live.path / "manifest.json").write_bytes((run.path / "manifest.json").read_bytes())
    planned, done = list(make_short_plan(2).order_trials()), run.read_trials()
    page = LivePage(planned)
    page.show(live, done[:3])
    with open_page(browser, live.path / "report.html") as opened:
        assert opened.page.inner_text("h1") == f"3 of {len(planned)} trials are done"
        page.show(live, done)
        opened.page.wait_for_function(
            f"document.querySelector('h1').innerText.startsWith('{len(done)} of')", timeout=15_000
        )
        assert "it <b>fell</b>" in opened.page.inner_text("main")
        assert opened.complaints == []


def test_a_report_takes_time_linear_in_trials(tmp_path: Path) -> None:
    """Eight times the trials may take eight times as long, and half as much again for a noisy machine."""
    taken_s = []
    for rounds in (2, 16):
        run = make_whole_run(tmp_path / str(rounds), make_short_plan(rounds, ["burst"]))
        begun_s = time.process_time()
        publish(run)
        list(find_differences(run))
        taken_s.append(time.process_time() - begun_s)
    assert taken_s[1] < 1.5 * 8 * taken_s[0]
