"""Rounds to claims: is one target faster than another in a headline figure, or can it not be told?

Pure: headline figures by round in, claims out. A difference inside the noise is `not_resolved`, never a
ranking.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

ROUNDS_NEEDED = 6
LOOP_FIGURE_LEAST_MS = 1.0  # timers differ by this much between runtimes without any lag

# One target's headline figure by round: the first measurement, and the second where there is one (A/A).
ByRound = Mapping[int, Sequence[float]]


@dataclass(frozen=True)
class Claim:
    """`a` against `b`, differences as a − b in the figure's own unit. `reason` says why nothing is resolved."""

    rounds: int
    median_a: float | None
    median_b: float | None
    median_difference: float | None
    difference_min: float | None
    difference_max: float | None
    band: float | None
    claim: str  # faster, slower or not_resolved: of a, against b
    reason: str | None


def judge_claim(a: ByRound, b: ByRound, *, lower_is_better: bool, is_loop_figure: bool) -> Claim:
    """Compare two targets round by round, against the band of either's difference from itself."""
    paired = sorted(set(a) & set(b))
    differences = [a[number][0] - b[number][0] for number in paired]
    band = widest_band(a, b)
    reason = find_reason(differences, band, is_loop_figure=is_loop_figure)
    claim = "not_resolved"
    if reason is None:
        claim = "faster" if (median(differences) < 0) == lower_is_better else "slower"
    return Claim(
        rounds=len(paired),
        median_a=median(a[number][0] for number in paired) if paired else None,
        median_b=median(b[number][0] for number in paired) if paired else None,
        median_difference=median(differences) if differences else None,
        difference_min=min(differences, default=None),
        difference_max=max(differences, default=None),
        band=band,
        claim=claim,
        reason=reason,
    )


def widest_band(a: ByRound, b: ByRound) -> float | None:
    """Return the largest absolute paired A/A difference of either target. None where one was not measured twice."""
    by_target = [[abs(first - again) for first, again, *_ in twice(target)] for target in (a, b)]
    return max(map(max, by_target)) if all(by_target) else None


def twice(target: ByRound) -> list[Sequence[float]]:
    return [figures for figures in target.values() if len(figures) > 1]


def find_reason(differences: Sequence[float], band: float | None, *, is_loop_figure: bool) -> str | None:
    """Return why nothing can be claimed, or None where something can."""
    if len(differences) < ROUNDS_NEEDED:
        return f"{len(differences)} admissible rounds, {ROUNDS_NEEDED} are needed"
    if band is None:
        return "no A/A band: the targets were not measured twice a round"
    if not (all(value > 0 for value in differences) or all(value < 0 for value in differences)):
        return "the sign differs between rounds"
    if abs(median(differences)) <= band:
        return "the median difference lies inside the A/A band"
    if is_loop_figure and abs(median(differences)) <= LOOP_FIGURE_LEAST_MS:
        return "a loop figure's difference of 1 ms or less is timer granularity"
    return None
