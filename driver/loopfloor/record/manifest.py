"""The manifest of a run: what was planned, where it ran, and what each target said of itself."""

from typing import Any, Literal

from loopfloor.model import SCHEMA_VERSION, Frozen, Isolation, SelfTestRecord
from loopfloor.plan import Plan


class Host(Frozen):
    """The machine and its engine, as far as they can be known."""

    cpu_model: str | None
    cores: int | None
    architecture: str
    kernel: str
    virtualisation: str | None
    cgroup_version: int
    governor: str | None
    clock_source: str | None
    coarse_clock_ms: float
    timer_slack_ns: int | None
    engine_version: str | None
    compose_version: str | None
    path: str  # from the driver to a target


class Source(Frozen):
    """The git revision that was run; None with a reason where unknown."""

    revision: str | None
    dirty: bool | None
    reason: str | None


class Manifest(Frozen):
    """`manifest.json`. Times of day are for people only; nothing is computed from them."""

    schema_version: int = SCHEMA_VERSION
    run_id: str
    status: Literal["running", "complete", "interrupted"]
    started_at: str
    ended_at: str | None = None
    plan: Plan
    stage: str
    source: Source
    host: Host
    isolation: Isolation
    targets: dict[str, dict[str, Any]]  # what /info and the stage said
    self_test: tuple[SelfTestRecord, ...] = ()
    trials_sha256: str | None = None

    def count_target_cores(self, name: str) -> int | None:
        """Return how many cores a target had: by the pinning, else by what it said itself. None where unknown."""
        limits = self.targets.get(name, {}).get("limits") or {}
        return count_cpus(self.isolation.target_cpus or limits.get("cpus_allowed"))

    def describe_target(self, name: str) -> str:
        info = self.targets.get(name, {})
        return f"{name} ({info.get('runtime', 'unknown')} {info.get('runtime_version', 'version unknown')})"


def count_cpus(ranges: object) -> int | None:
    """Return the size of a list such as `0-3,6`. None of anything else."""
    if not isinstance(ranges, str):
        return None
    bounds = [part.partition("-")[::2] for part in ranges.split(",")]
    if not all(first.isdigit() and (last.isdigit() or not last) for first, last in bounds):
        return None
    return sum(int(last or first) - int(first) + 1 for first, last in bounds)
