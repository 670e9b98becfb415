"""The rooms keep to themselves: what judges never measures, and the stages do not know each other."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import loopfloor

ROOT = Path(loopfloor.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
EFFECTS = {"httpx", "docker", "asyncio", "socket", "time", "subprocess", "uvloop", "os"}
STAGES = {"fleet", "load", "readings", "schedule", "progress", "host"}
PURE = ("judge/", "model.py", "units.py", "plan/", "measure/schedule.py")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def list_imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", [path for path in MODULES if name_of(path).startswith(PURE)], ids=name_of)
def test_what_is_pure_has_no_effects(path: Path) -> None:
    assert not {name.split(".")[0] for name in list_imports(path)} & EFFECTS


@pytest.mark.parametrize(
    "path", [path for path in MODULES if name_of(path).startswith(("judge/", "publish/"))], ids=name_of
)
def test_what_judges_or_publishes_never_measures(path: Path) -> None:
    assert not [name for name in list_imports(path) if name.startswith("loopfloor.measure")]


@pytest.mark.parametrize("path", [path for path in MODULES if name_of(path).startswith("judge/")], ids=name_of)
def test_what_judges_never_publishes(path: Path) -> None:
    assert not [name for name in list_imports(path) if name.startswith(("loopfloor.publish", "loopfloor.record"))]


@pytest.mark.parametrize("path", [path for path in MODULES if name_of(path).startswith("measure/")], ids=name_of)
def test_one_stage_does_not_import_another(path: Path) -> None:
    own = name_of(path).split("/")[1].removesuffix(".py")
    if own in {"campaign", "__init__"}:
        return
    others = {name.split(".")[2] for name in list_imports(path) if name.startswith("loopfloor.measure.")}
    assert others - {own} <= ({"schedule"} if own == "load" else set())


def test_third_party_faults_are_translated_at_one_seam() -> None:
    users: dict[str, set[str]] = {"docker": set(), "httpx": set()}
    for path in MODULES:
        for library in users.keys() & {name.split(".")[0] for name in list_imports(path)}:
            users[library].add(name_of(path))
    assert users == {"docker": {"measure/fleet/compose.py"}, "httpx": {"measure/readings.py"}}


def test_files_stay_small() -> None:
    longest = max(MODULES, key=lambda path: len(path.read_text(encoding="utf-8").splitlines()))
    assert len(longest.read_text(encoding="utf-8").splitlines()) <= 300, longest
