"""The `process` stage: targets as local processes from the source tree, without Docker."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from loopfloor.errors import FleetError
from loopfloor.measure.fleet.stage import Address, format_cpus, pinned, split_cpus
from loopfloor.model import Isolation

HOST = "127.0.0.1"
STOP_WITHIN_S = 5.0
LOG_TAIL_BYTES = 2000
MORE_INSTANCES = (2, 3)


@dataclass(frozen=True)
class Launch:
    """How one target is started: a command in a folder, with more environment."""

    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)


def list_launches(tree: Path) -> dict[str, Launch]:
    """Return the launches of the targets in a source tree, and of further instances of each."""
    python, node = tree / "python_target", tree / "node_target"
    single = {
        "asyncio": Launch([sys.executable, "-m", "target", "--loop", "asyncio"], python),
        "uvloop": Launch([sys.executable, "-m", "target", "--loop", "uvloop"], python),
        "node": Launch(["node", "src/main.js"], node, {"UV_THREADPOOL_SIZE": "4"}),
    }
    return single | {f"{name}-{number}": launch for name, launch in single.items() for number in MORE_INSTANCES}


@dataclass(frozen=True)
class Running:
    """A started process and what it prints."""

    process: subprocess.Popen[bytes]
    log: IO[bytes]


class ProcessStage:
    """Starts each target on a free loopback port, pinned away from the driver."""

    name = "process"
    no_targets = "no targets: --source has to be the root of the source tree"

    def __init__(self, launches: Mapping[str, Launch]) -> None:
        self._launches = launches
        self._running: dict[str, Running] = {}
        self._target_cpus: list[int] = []

    def list_targets(self) -> Sequence[str]:
        return [name for name, launch in self._launches.items() if launch.folder.is_dir()]

    def isolate(self) -> Isolation:
        driver, targets = split_cpus(sorted(os.sched_getaffinity(0)))
        os.sched_setaffinity(0, driver)
        self._target_cpus = targets
        return pinned("affinity", driver, targets)

    def start(self, target: str, *, fresh: bool = True) -> Address:  # noqa: ARG002  every process here is fresh
        self.stop(target)
        launch = self._launches[target]
        if shutil.which(launch.command[0]) is None:
            raise FleetError(f"{target}: {launch.command[0]} is not installed")
        port = find_free_port()
        log = tempfile.TemporaryFile()  # noqa: SIM115  closed in stop
        process = subprocess.Popen(
            [*launch.command, "--host", HOST, "--port", str(port)],
            cwd=launch.folder,
            env={**os.environ, **launch.environment},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # the terminal's Ctrl-C is the driver's to handle
        )
        if self._target_cpus:
            os.sched_setaffinity(process.pid, self._target_cpus)
        self._running[target] = Running(process, log)
        return Address(HOST, port)

    def stop(self, target: str) -> None:
        running = self._running.pop(target, None)
        if running is None:
            return
        running.process.terminate()
        try:
            running.process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            running.process.kill()
            running.process.wait()
        running.log.close()

    def stop_others(self, *targets: str) -> Sequence[str]:
        others = [name for name in self._running if name not in targets]
        for name in others:
            self.stop(name)
        return others

    def explain_exit(self, target: str) -> str | None:
        running = self._running.get(target)
        if running is None:
            return "it was not started"
        code = running.process.poll()
        if code is None:
            return None
        running.log.seek(0)
        tail = running.log.read()[-LOG_TAIL_BYTES:].decode(errors="replace").strip()
        return f"it ended with exit code {code}" + (f": {tail}" if tail else "")

    def describe(self, target: str) -> dict[str, Any]:
        return {"image": None, "command": list(self._launches[target].command), "cpus": format_cpus(self._target_cpus)}

    def describe_host(self) -> dict[str, Any]:
        return {"engine_version": None, "compose_version": None, "path": "loopback"}

    def close(self) -> None:
        for target in list(self._running):
            self.stop(target)


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
