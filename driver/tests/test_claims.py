"""When a difference is claimed, and when it is said that it cannot be told."""

import random

import pytest

from loopfloor.judge.claims import judge_claim
from loopfloor.judge.tables.claims import make_rows
from loopfloor.judge.tables.reading import Row
from loopfloor.plan import Headline, load_plan


def rounds(*figures: tuple[float, ...]) -> dict[int, tuple[float, ...]]:
    return dict(enumerate(figures, 1))


SLOW = rounds((20, 20.5), (21, 20), (20, 21), (22, 21.5), (20, 20), (21, 21))
FAST = rounds((10, 10.5), (11, 10.2), (10, 10), (12, 11), (11, 10.4), (10, 10.1))


def claim(a: dict[int, tuple[float, ...]], b: dict[int, tuple[float, ...]], *, loop: bool = False, lower: bool = True):
    return judge_claim(a, b, lower_is_better=lower, is_loop_figure=loop)


def test_a_difference_outside_the_band_in_every_round_is_claimed_both_ways() -> None:
    found = claim(FAST, SLOW)
    assert (found.claim, found.reason) == ("faster", None)
    assert (found.median_difference, found.difference_min, found.difference_max) == (-10, -11, -9)
    assert found.band == 1.0
    assert claim(SLOW, FAST).claim == "slower"
    assert claim(FAST, SLOW, lower=False).claim == "slower"


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        (dict(list(FAST.items())[:5]), SLOW, "5 admissible rounds"),
        ({n: f[:1] for n, f in FAST.items()}, SLOW, "no A/A band"),
        (FAST | {3: (30.0, 30.0)}, SLOW, "the sign differs"),
        (FAST | {3: (10.0, 25.0)}, SLOW, "inside the A/A band"),
        (FAST, {}, "0 admissible rounds"),
    ],
)
def test_anything_less_is_not_resolved_with_the_reason(a: dict, b: dict, reason: str) -> None:
    found = claim(a, b)
    assert found.claim == "not_resolved"
    assert found.reason is not None
    assert reason in found.reason


def test_a_loop_figure_under_1_ms_is_never_claimed() -> None:
    a, b = rounds(*[(10.0, 10.01)] * 6), rounds(*[(10.9, 10.91)] * 6)
    assert claim(a, b).claim == "faster"
    assert "granularity" in str(claim(a, b, loop=True).reason)


def test_without_a_true_difference_hardly_anything_is_claimed() -> None:
    noise = random.Random(5)
    draws = [
        claim(*(rounds(*[(noise.gauss(100, 5), noise.gauss(100, 5)) for _ in range(6)]) for _ in range(2))).claim
        for _ in range(3000)
    ]
    claimed = sum(draw != "not_resolved" for draw in draws) / len(draws)
    assert claimed < 0.01  # the sign alone would claim 3 %


def make_figure_rows(target: str, values: dict[int, tuple[float, ...]], **more: object) -> list[Row]:
    return [
        {"target": target, "case": "noop-x50", "round": number, "repeat": repeat, "status": "ok", "doubts": "",
         "lower_bounds": "", "latency_p99_ms": value} | more  # type: ignore[operator]
        for number, figures in values.items()
        for repeat, value in enumerate(figures, 1)
    ]  # fmt: skip


HEADLINE = Headline(table="pair", case="noop-x50", column="latency_p99_ms")
PLAN = load_plan("smoke").model_copy(update={"targets": ("a", "b"), "headlines": (HEADLINE,)})


def test_rows_become_claims_for_each_pair() -> None:
    (row,) = make_rows("run", PLAN, {"pair": make_figure_rows("a", FAST) + make_figure_rows("b", SLOW)})
    assert (row["target_a"], row["target_b"], row["claim"], row["rounds"]) == ("a", "b", "faster", 6)
    assert row["figure"] == "noop-x50 latency_p99_ms"


@pytest.mark.parametrize(
    "unfit",
    [{"status": "inadmissible"}, {"status": "failures"}, {"doubts": "generator_limited"}, {"lower_bounds": "p99;max"}],
)
def test_rows_that_are_not_fit_are_not_compared(unfit: dict[str, str]) -> None:
    rows = make_figure_rows("a", FAST, **unfit) + make_figure_rows("b", SLOW)
    (row,) = make_rows("run", PLAN, {"pair": rows})
    assert (row["claim"], row["rounds"]) == ("not_resolved", 0)
