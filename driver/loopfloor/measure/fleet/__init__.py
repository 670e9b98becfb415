"""The targets as things that can be started, looked at, pinned and stopped; one room per stage.

A stage never talks HTTP to a target and never sees a trial.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from loopfloor.errors import UsageError
from loopfloor.measure.fleet.process import ProcessStage, list_launches
from loopfloor.measure.fleet.stage import Address, Stage
from loopfloor.measure.fleet.url import UrlStage

SOCKET = Path("/var/run/docker.sock")
NO_SOCKET = "no Docker socket is mounted: the targets run side by side, unpinned, and not as fresh processes"

__all__ = ["SOCKET", "Address", "Stage", "open_stage"]


def open_stage(name: str, targets: Sequence[str], urls: Mapping[str, str], source: Path) -> Stage:
    """Return the stage of that name; the process stage starts its targets from the tree `source`.

    Raises UsageError or FleetError.
    """
    if name == "compose" and SOCKET.is_socket():
        from loopfloor.measure.fleet.compose import ComposeStage  # noqa: PLC0415  the Docker SDK is slow to import

        return ComposeStage()
    if name == "compose":
        return UrlStage({target: f"http://{target}:8080" for target in targets}, NO_SOCKET)
    if name == "process":
        return ProcessStage(list_launches(source.absolute()))
    if name == "url" and urls:
        return UrlStage(urls)
    if name == "url":
        raise UsageError("stage url needs to know where the targets are: --targets name=http://host:port,…")
    raise UsageError(f"unknown stage {name!r}; known are compose, process, url")
