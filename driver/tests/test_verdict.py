"""The verdict rules: each classifies its own example, and no figure that is missing makes one hold."""

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopfloor.judge.verdict import RULES, Symptoms, judge, read_symptoms

CODES = {
    "waiting", "blocking_per_request", "never_drains", "rare_stall", "saturated", "one_instance", "queued_in_front",
    "healthy", "no_data", "inadmissible",
}  # fmt: skip
QUIET = Symptoms(
    gap_p50_ms=10.3, gap_mean_ms=10.4, gap_p99_ms=11.5, gap_max_ms=12, floor_p50_ms=10.3, floor_p99_ms=11.4,
    late_share=0.02, busy=0.1, latency_p50_ms=1.2, latency_p99_ms=3, cost_ms=0.2, loop="open", status="ok", doubts="",
)  # fmt: skip
FIGURES = [field.name for field in fields(Symptoms) if field.name.endswith(("_ms", "_share")) or field.name == "busy"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_each_rule_classifies_its_example(rule: object) -> None:
    verdict = judge(rule.example)  # type: ignore[attr-defined]
    assert verdict.code == rule.code  # type: ignore[attr-defined]
    assert "{" not in verdict.sentence
    assert verdict.next_step


def test_every_code_of_the_design_has_a_rule() -> None:
    assert {rule.code for rule in RULES} == CODES


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, "healthy"),
        ({"latency_p50_ms": 302, "latency_p99_ms": 311}, "waiting"),
        ({"latency_p50_ms": 302, "latency_p99_ms": 311, "gap_max_ms": 60}, "waiting"),
        ({"gap_max_ms": 508, "gap_mean_ms": 13.8, "busy": 0.4}, "rare_stall"),
        ({"gap_p99_ms": 31, "gap_max_ms": 33, "busy": 0.9, "late_share": 0.3, "cost_ms": 2.3}, "saturated"),
        (
            {"gap_p99_ms": 31, "gap_max_ms": 33, "busy": 0.9, "latency_p50_ms": 90, "latency_p99_ms": 600},
            "queued_in_front",
        ),
        (
            {"gap_p50_ms": 1520, "gap_mean_ms": 1500, "gap_p99_ms": 1540, "gap_max_ms": 1540, "late_share": 0.97,
             "busy": 0.98, "cost_ms": 30, "latency_p50_ms": 1530, "latency_p99_ms": 1540, "loop": "closed"},
            "blocking_per_request",
        ),
        (
            {"gap_p50_ms": 800, "gap_mean_ms": 790, "gap_p99_ms": 810, "gap_max_ms": 810, "late_share": 0.97,
             "busy": None, "cost_ms": 7, "latency_p50_ms": 1530, "latency_p99_ms": 2540},
            "never_drains",
        ),
        ({"gap_p50_ms": 12, "gap_p99_ms": 40, "busy": 0.3, "doubts": "pool_shares_core"}, "waiting"),
        ({"gap_p99_ms": 153, "gap_max_ms": 154, "siblings_gap_p99_ms": 15.6}, "one_instance"),
        ({"gap_p99_ms": 24, "siblings_gap_p99_ms": 7}, "healthy"),  # far above its siblings, and still at its floor
        ({"doubts": "few_samples;generator_limited"}, "inadmissible"),
        ({"status": "inadmissible"}, "inadmissible"),
        ({"loop_state": "no_data"}, "no_data"),
        ({"gap_p99_ms": None}, "no_data"),
    ],
)  # fmt: skip
def test_what_the_figures_show(changes: dict[str, float], code: str) -> None:
    assert judge(replace(QUIET, **changes)).code == code  # type: ignore[arg-type]


@given(st.sampled_from([1, 10, 100]), st.floats(0.5, 50))
def test_thresholds_are_multiples_of_the_floor_and_of_nothing_else(factor: float, gap_times: float) -> None:
    """The same loop at ten times the interval is judged the same."""
    single = replace(
        QUIET, gap_p99_ms=10.3 * gap_times, gap_max_ms=10.3 * gap_times, busy=0.9, late_share=0.6, cost_ms=6
    )
    times = {name: getattr(single, name) * factor for name in FIGURES if name.endswith("_ms") and getattr(single, name)}
    assert judge(replace(single, **times)).code == judge(single).code  # type: ignore[arg-type]


@given(st.sets(st.sampled_from(FIGURES)))
def test_a_missing_figure_never_makes_a_loop_look_worse(missing: set[str]) -> None:
    assert judge(replace(QUIET, **dict.fromkeys(missing))).code in {"healthy", "no_data"}  # type: ignore[arg-type]


def test_symptoms_are_the_cells_of_a_row_and_what_is_given_beside_them() -> None:
    symptoms = read_symptoms({"gap_p50_ms": 10.2, "busy": 0.5, "run_id": "x"}, busy=None, cost_ms=7)
    assert symptoms == Symptoms(gap_p50_ms=10.2, cost_ms=7)
