"""What doctor finds: a subject, a value, a verdict on it, and the remedy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "doubt", "unfit"]


@dataclass(frozen=True)
class Finding:
    """`value` is None where it cannot be known; `remedy` is blank where nothing is to be done."""

    subject: str
    value: str | float | None
    unit: str
    verdict: Verdict
    remedy: str = ""


def grade(subject: str, value: float | None, unit: str, limits: Sequence[float], remedy: str) -> Finding:
    """Grade a figure that should be small: ok up to the first limit, a doubt up to the second, unfit beyond."""
    if value is None:
        return Finding(subject, None, unit, "doubt", f"It cannot be read here. {remedy}")
    good, bearable = limits
    if value <= good:
        return Finding(subject, value, unit, "ok")
    return Finding(subject, value, unit, "doubt" if value <= bearable else "unfit", remedy)


def grade_least(subject: str, value: float, unit: str, limits: Sequence[float], remedy: str) -> Finding:
    """Grade a figure that should be large."""
    good, bearable = limits
    if value >= good:
        return Finding(subject, value, unit, "ok")
    return Finding(subject, value, unit, "doubt" if value >= bearable else "unfit", remedy)
