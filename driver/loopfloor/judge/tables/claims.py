"""`claims.csv`: for each headline figure and each pair of targets, what can be claimed."""

from dataclasses import asdict
from itertools import combinations

from loopfloor.judge.claims import ByRound, judge_claim
from loopfloor.judge.lower_bounds import is_lower_bound
from loopfloor.judge.tables.reading import Row
from loopfloor.plan import Headline, Plan

NOT_COMPARED = {"generator_limited", "disturbed"}


def make_rows(run_id: str, plan: Plan, tables: dict[str, list[Row]]) -> list[Row]:
    """Nothing to claim where a plan names no headline or has no two targets."""
    return [
        make_row(run_id, headline, pair, tables.get(headline.table, []))
        for headline in plan.headlines
        for pair in combinations(plan.targets, 2)
    ]


def make_row(run_id: str, headline: Headline, pair: tuple[str, str], rows: list[Row]) -> Row:
    first, second = pair
    claim = judge_claim(
        read_rounds(headline, first, rows),
        read_rounds(headline, second, rows),
        lower_is_better=headline.better == "lower",
        is_loop_figure=headline.is_loop_figure,
    )
    key: Row = {"run_id": run_id, "figure": headline.name, "target_a": first, "target_b": second}
    return key | {"better": headline.better} | asdict(claim)


def read_rounds(headline: Headline, target: str, rows: list[Row]) -> ByRound:
    """Return the figure by round, first measurement first. Rows that are not fit to be compared are left out."""
    by_round: dict[int, dict[int, float]] = {}
    for row in rows:
        if row["target"] != target or row["case"] != headline.case or row.get("second") != headline.second:
            continue
        value = row.get(headline.column)
        if isinstance(value, int | float) and is_comparable(headline, row):
            by_round.setdefault(int(row["round"] or 0), {})[int(row["repeat"] or 0)] = float(value)
    return {
        number: [repeats[repeat] for repeat in sorted(repeats)] for number, repeats in by_round.items() if 1 in repeats
    }


def is_comparable(headline: Headline, row: Row) -> bool:
    """A figure that is only a bound, or that the generator spoiled, says nothing about a difference."""
    doubts = set(str(row.get("doubts") or "").split(";"))
    return row["status"] == "ok" and not NOT_COMPARED & doubts and not is_lower_bound(row, headline.column)
