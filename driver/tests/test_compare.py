"""Two runs side by side: like is judged, unlike is refused by name, and a gate fails on what is claimed alone."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from loopfloor.model import Isolation
from loopfloor.record import RunFolder
from support.browser import DESK, PHONE, open_page
from support.command import loopfloor
from support.synthetic import make_short_plan, make_whole_run

PLAN = make_short_plan(6, ["pair"])


def make_run(results: Path, slower: Mapping[str, float] | None = None, **manifest: Any) -> RunFolder:
    return make_whole_run(results, PLAN, slower=slower, **manifest)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("compare")


@pytest.fixture(scope="module")
def first(results: Path) -> RunFolder:
    return make_run(results)


@pytest.fixture(scope="module")
def slower(results: Path) -> RunFolder:
    """The same, but node takes three times as long for everything."""
    return make_run(results, {"node": 3.0})


def compare(results: Path, *arguments: str) -> tuple[int, str]:
    done = loopfloor("compare", *arguments, "--results", str(results), environment={"COLUMNS": "160"})
    return done.returncode, done.stdout + done.stderr


def read_claims(results: Path, first: RunFolder, second: RunFolder) -> list[dict[str, str]]:
    path = results / "compared" / f"{first.run_id}--{second.run_id}" / "comparison.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_what_is_slower_in_all_rounds_is_claimed_and_nothing_else_is(
    results: Path, first: RunFolder, slower: RunFolder
) -> None:
    code, output = compare(results, first.run_id, slower.run_id)
    assert code == 0, output
    claims = read_claims(results, first, slower)
    latency = {row["target"]: row for row in claims if row["figure"] == "noop-x50 latency_p99_ms"}
    assert latency["node"]["claim"] == "slower"
    assert float(latency["node"]["median_b"]) > 2 * float(latency["node"]["median_a"])
    assert {row["claim"] for row in claims if row["target"] != "node"} == {"not_resolved"}
    assert all(row["reason"] for row in claims if row["claim"] == "not_resolved")


def test_the_gate_fails_on_slower_and_only_on_that(results: Path, first: RunFolder, slower: RunFolder) -> None:
    code, output = compare(results, first.run_id, slower.run_id, "--fail-on", "slower")
    assert code == 5
    assert "node, noop-x50 latency_p99_ms: slower" in output
    assert compare(results, slower.run_id, first.run_id, "--fail-on", "slower")[0] == 0
    assert compare(results, first.run_id, first.run_id, "--fail-on", "slower")[0] == 0


def test_unlike_conditions_are_refused_with_all_of_them_named(results: Path, first: RunFolder) -> None:
    host = first.read_manifest().host.model_copy(update={"cpu_model": "Another", "cores": 96})
    other = make_run(results, host=host, isolation=Isolation(mode="cpuset", driver_cpus="0", target_cpus="1"))
    code, output = compare(results, first.run_id, other.run_id)
    assert code == 2
    assert all(
        name in output for name in ("host.cpu_model", "host.cores: ", "96", "isolation.mode: none against cpuset")
    )
    code, output = compare(results, first.run_id, other.run_id, "--force")
    assert code == 0
    assert "NOT ALIKE: host.cpu_model: A CPU, with a comma against Another" in output
    page = results / "compared" / f"{first.run_id}--{other.run_id}" / "comparison.html"
    assert "NOT ALIKE: host.cores" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [PHONE, DESK])
def test_the_page_of_a_comparison_is_whole_on_a_phone_and_a_desk(
    browser: Browser, results: Path, first: RunFolder, slower: RunFolder, width: int
) -> None:
    assert compare(results, first.run_id, slower.run_id)[0] == 0
    page = results / "compared" / f"{first.run_id}--{slower.run_id}" / "comparison.html"
    with open_page(browser, page, width=width) as opened:
        assert opened.complaints == opened.requests == []
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
        opened.page.click("#claim-noop-x50-latency-p99-ms-node button")
        assert "| slower |" in opened.page.evaluate("navigator.clipboard.readText()")
        faults = Axe().run(opened.page).response["violations"]
        assert [fault["id"] for fault in faults if fault["impact"] in ("serious", "critical")] == []


def test_another_plan_is_unlike_where_both_ran_the_scenario(results: Path, first: RunFolder) -> None:
    pair = PLAN.pair
    assert pair is not None
    shorter = tuple(cell.model_copy(update={"duration_s": 2.0}) for cell in pair.cells)
    plan = PLAN.model_copy(update={"pair": pair.model_copy(update={"cells": shorter}), "name": "mine"})
    code, output = compare(results, first.run_id, make_whole_run(results, plan).run_id)
    assert code == 2
    assert "plan.pair.cells" in output


def test_versions_are_what_is_compared_and_are_named(results: Path, first: RunFolder) -> None:
    infos = {name: info | {"runtime_version": "2.0"} for name, info in first.read_manifest().targets.items()}
    newer = make_run(results)
    newer.update_manifest(targets=infos)
    code, output = compare(results, first.run_id, newer.run_id)
    assert code == 0
    assert "compared: node.runtime_version: 1.0 against 2.0" in output


def test_one_round_is_not_enough_for_a_claim(results: Path) -> None:
    plan = PLAN.model_copy(update={"rounds": 1})
    one, other = (make_whole_run(results, plan, slower=slower) for slower in (None, {"node": 9.0}))
    code, _ = compare(results, one.run_id, other.run_id, "--fail-on", "slower")
    assert code == 0
    claims = read_claims(results, one, other)
    assert {row["claim"] for row in claims} == {"not_resolved"}
    assert {row["reason"] for row in claims} == {"1 admissible rounds, 6 are needed"}


def test_a_run_that_is_not_there_is_a_usage_error(results: Path, first: RunFolder) -> None:
    assert compare(results, first.run_id, "nowhere")[0] == 2
