"""What every stage offers to the campaign."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from loopfloor.model import Isolation


@dataclass(frozen=True)
class Address:
    """Where a running target listens: an address, not a name."""

    host: str
    port: int

    @property
    def url(self) -> str:
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"


class Stage(Protocol):
    """Where the targets live. All calls block; none is made while a trial runs.

    A further instance of a target is a target of its own: `node-2` beside `node`.
    """

    name: str
    no_targets: str  # what to say where there are none

    def list_targets(self) -> Sequence[str]:
        """Return the names that can be started."""

    def isolate(self) -> Isolation:
        """Give the driver one core and the targets the rest, as far as this host allows."""

    def start(self, target: str, *, fresh: bool = True) -> Address:
        """Start a fresh process; where a fresh one is not needed, one that runs may serve. Raises FleetError."""

    def stop(self, target: str) -> None:
        """Stop it; stopping what does not run is no fault. Raises FleetError."""

    def stop_others(self, *targets: str) -> Sequence[str]:
        """Stop every target of this stage that runs, but for these; return which did. Raises FleetError."""

    def explain_exit(self, target: str) -> str | None:
        """Return why the target no longer runs, or None while it does."""

    def describe(self, target: str) -> dict[str, Any]:
        """Return what the stage knows of the target for the manifest (image, cpus); null for unknown."""

    def describe_host(self) -> dict[str, Any]:
        """Return what only the stage knows: `engine_version`, `compose_version`, `path` (from driver to target)."""

    def close(self) -> None:
        """Stop whatever was started. Never raises."""


def split_cpus(cpus: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the driver's cores and the targets': the first core for the driver, the rest for the targets.

    On a single core both share it.
    """
    ordered = sorted(cpus)
    return ordered[:1], ordered[1:] or ordered[:1]


def format_cpus(cpus: Sequence[int]) -> str:
    return ",".join(str(cpu) for cpu in cpus)


def pinned(mode: Literal["cpuset", "affinity"], driver: Sequence[int], targets: Sequence[int]) -> Isolation:
    """Return the isolation that was reached; on a single core it is none, and says so."""
    cpus = {"driver_cpus": format_cpus(driver), "target_cpus": format_cpus(targets)}
    if driver == targets:
        return Isolation(mode="shared", **cpus, reason="this host has one core, so driver and targets share it")
    return Isolation(mode=mode, **cpus)
