"""`comparison.csv`: each headline figure of each target in two runs, judged round by round like a claim."""

from collections.abc import Mapping, Sequence

from loopfloor.judge.claims import judge_claim
from loopfloor.judge.tables.claims import read_rounds
from loopfloor.judge.tables.reading import Row
from loopfloor.plan import Headline

Tables = Mapping[str, Sequence[Row]]


def make_rows(runs: tuple[str, str], headlines: Sequence[Headline], first: Tables, second: Tables) -> list[Row]:
    """Return a row per target of both runs and headline figure that both have."""
    names = [row["target"] for row in second["targets"]]
    targets = [str(row["target"]) for row in first["targets"] if row["target"] in names]
    return [
        row
        for headline in headlines
        for target in targets
        if (row := make_row(runs, headline, target, (first, second)))["median_a"] is not None
    ]


def make_row(runs: tuple[str, str], headline: Headline, target: str, tables: tuple[Tables, Tables]) -> Row:
    """The claim is about the second run: is it faster or slower than the first?"""
    before, after = (read_rounds(headline, target, list(run.get(headline.table, ()))) for run in tables)
    claim = judge_claim(
        after, before, lower_is_better=headline.better == "lower", is_loop_figure=headline.is_loop_figure
    )
    return {
        "run_a": runs[0],
        "run_b": runs[1],
        "target": target,
        "figure": headline.name,
        "better": headline.better,
        "rounds": claim.rounds,
        "median_a": claim.median_b,
        "median_b": claim.median_a,
        "median_change": claim.median_difference,
        "change_min": claim.difference_min,
        "change_max": claim.difference_max,
        "band": claim.band,
        "claim": claim.claim,
        "reason": claim.reason,
    }


def pair_medians(runs: tuple[str, str], first: Tables, second: Tables) -> list[Row]:
    """Return a row per printed figure that either run has: both medians with their ranges, nothing judged."""
    by_key = [{(row["table"], row["figure"], row["target"]): row for row in run["medians"]} for run in (first, second)]
    rows = []
    for key in dict.fromkeys([*by_key[0], *by_key[1]]):
        one, other = (run.get(key, {}) for run in by_key)
        if one.get("median") is None and other.get("median") is None:
            continue
        row: Row = {"run_a": runs[0], "run_b": runs[1], "table": key[0], "figure": key[1], "target": key[2]}
        for letter, found in (("a", one), ("b", other)):
            row |= {f"{name}_{letter}": found.get(name) for name in ("rounds", "median", "min", "max")}
        rows.append(row)
    return rows
