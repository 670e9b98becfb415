"""`targets.csv`: what each target said of itself when it was met. What it did not say stays blank."""

from collections.abc import Mapping
from typing import Any

from loopfloor.judge.tables.reading import Row


def make_row(run_id: str, target: str, info: Mapping[str, Any], cores: int | None) -> Row:
    pool_size = info.get("pool_size")
    return {
        "run_id": run_id,
        "target": target,
        **{name: read_text(info.get(name)) for name in ("runtime", "runtime_version", "loop_class")},
        "versions": join_versions(info.get("versions")),
        "busy_source": read_text(info.get("busy_source")),
        "pool_size": pool_size if isinstance(pool_size, int) else None,
        "cores": cores,
    }


def read_text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def join_versions(versions: object) -> str | None:
    if not isinstance(versions, Mapping):
        return None
    return ";".join(f"{name}={version}" for name, version in sorted(versions.items()) if version is not None)
