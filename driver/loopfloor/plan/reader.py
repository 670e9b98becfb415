"""Reads a plan by its built-in name or from a TOML file, and names every fault that it has."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from loopfloor.errors import UsageError
from loopfloor.plan.plan import SCENARIOS, Plan

BUILT_IN = Path(__file__).parent / "built_in"


def load_plan(
    name_or_file: str,
    targets: Sequence[str] = (),
    scenarios: Sequence[str] = (),
    seed: int | None = None,
    aliases: Mapping[str, str] | None = None,
) -> Plan:
    """Read a plan, narrowed to `targets` and `scenarios` (the floor is always measured).

    Raises UsageError with every fault that was found, not only the first.
    """
    known = ", ".join(SCENARIOS)
    faults = [f"unknown scenario {name!r}; known are {known}" for name in scenarios if name not in SCENARIOS]
    content = read_toml(name_or_file, faults)
    if content is not None:
        content |= {"targets": list(targets)} if targets else {}
        content |= {"aliases": dict(aliases)} if aliases else {}
        content |= {} if seed is None else {"seed": seed}
        try:
            plan = Plan.model_validate(content)
        except ValidationError as error:
            faults += [describe_fault(fault) for fault in drop_echoes(error.errors())]
    if faults:
        raise UsageError(*(f"plan {name_or_file}: {fault}" for fault in faults))
    dropped = {name: None for name in SCENARIOS if scenarios and name not in (*scenarios, "floor")}
    return plan.model_copy(update=dropped)


def read_toml(name_or_file: str, faults: list[str]) -> dict[str, Any] | None:
    built_in = BUILT_IN / f"{name_or_file}.toml"
    path = built_in if built_in.is_file() else Path(name_or_file)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        names = ", ".join(sorted(plan.stem for plan in BUILT_IN.glob("*.toml")))
        faults.append(f"cannot be read ({error.strerror}); built in are {names}")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        faults.append(f"is not TOML: {error}")
    return None


def drop_echoes(faults: list[Any]) -> list[Any]:
    """Leave out "too short" of a list whose only fault is that its items have faults."""
    places = [fault["loc"] for fault in faults]

    def is_echo(fault: Any) -> bool:
        depth = len(fault["loc"])
        return fault["type"] == "too_short" and any(len(loc) > depth and loc[:depth] == fault["loc"] for loc in places)

    return [fault for fault in faults if not is_echo(fault)]


def describe_fault(fault: Any) -> str:
    place = ".".join(str(part) for part in fault["loc"])
    given = "" if isinstance(fault["input"], dict) else f" (given: {fault['input']!r})"
    return f"{place}: {fault['msg']}{given}" if place else fault["msg"].removeprefix("Value error, ")
