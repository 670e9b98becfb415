"""Were two runs measured under like conditions? What differs between them, by name.

What is compared (a runtime, its versions, the source) may differ: that is what a comparison is for. What it was
measured with may not: the machine, the isolation, the plan.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PLAN_MAY_DIFFER = {"name", "rounds", "repeats", "targets", "aliases", "headlines"}
TARGET_CONDITIONS = ("limits", "pool_size", "interval_ms")
TARGET_SUBJECTS = ("runtime", "runtime_version", "loop_class", "versions", "image")


@dataclass(frozen=True)
class Difference:
    """One condition, as both runs have it."""

    name: str
    first: str
    second: str

    def __str__(self) -> str:
        return f"{self.name}: {self.first} against {self.second}"


Facts = Mapping[str, Any]  # a manifest as JSON values
Pair = tuple[str, Any, Any]  # a name, and what each run has under it


def list_unlike(first: Facts, second: Facts) -> list[Difference]:
    """Return what keeps two runs from being compared."""
    pairs = [(name, first[name], second[name]) for name in ("stage", "host", "isolation")]
    pairs += list_plans(first, second) + list_targets(first, second, TARGET_CONDITIONS)
    return compare_all(pairs)


def list_subjects(first: Facts, second: Facts) -> list[Difference]:
    """Return what is being compared: versions and sources that differ."""
    pairs = [("source.revision", first["source"]["revision"], second["source"]["revision"])]
    pairs += list_targets(first, second, TARGET_SUBJECTS)
    return compare_all(pairs)


def compare_all(pairs: Sequence[Pair]) -> list[Difference]:
    return [difference for name, one, other in pairs for difference in compare(name, one, other)]


def list_plans(first: Facts, second: Facts) -> list[Pair]:
    """Return the settings of the scenarios that both ran."""
    one, other = first["plan"], second["plan"]
    both = [name for name in one if one[name] is not None and other.get(name) is not None]
    return [(f"plan.{name}", one[name], other[name]) for name in both if name not in PLAN_MAY_DIFFER]


def list_targets(first: Facts, second: Facts, names: Sequence[str]) -> list[Pair]:
    one, other = first["targets"], second["targets"]
    return [(name, pick(one[name], names), pick(other[name], names)) for name in one if name in other]


def pick(facts: Facts, names: Sequence[str]) -> dict[str, Any]:
    return {name: facts.get(name) for name in names}


def compare(name: str, first: Any, second: Any) -> Iterator[Difference]:
    """Yield each leaf that differs, with its path."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        for key in dict.fromkeys([*first, *second]):
            yield from compare(f"{name}.{key}".lstrip("."), first.get(key), second.get(key))
    elif first != second:
        yield Difference(name, word(first), word(second))


def word(value: Any) -> str:
    return "unknown" if value is None else str(value)
