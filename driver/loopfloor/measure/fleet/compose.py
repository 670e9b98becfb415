"""The `compose` stage: the targets are containers of the driver's own compose project.

The only room that knows the Docker SDK. The socket it uses is as good as root on the host, so every
call that changes something goes through `_own`, which refuses containers of anybody else.
"""

import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import docker
import requests
from docker.errors import DockerException, NotFound
from docker.models.containers import Container

from loopfloor.errors import FleetError
from loopfloor.measure.fleet.stage import Address, format_cpus, pinned, split_cpus
from loopfloor.model import Isolation

PROJECT_LABEL = "com.docker.compose.project"
SERVICE_LABEL = "com.docker.compose.service"
NUMBER_LABEL = "com.docker.compose.container-number"
COMPOSE_VERSION_LABEL = "com.docker.compose.version"
TARGET_LABEL = "loopfloor.target"
DRIVER_LABEL = "loopfloor.driver"
TARGET_PORT = 8080
STOP_WITHIN_S = 5
LOG_TAIL_LINES = 8
CALL_TIMEOUT_S = 30
ALIVE = {"running", "paused", "restarting"}
ONLINE_CPUS = Path("/sys/devices/system/cpu/online")


@contextmanager
def translate_faults(what: str) -> Iterator[None]:
    """Turn the SDK's exceptions into one FleetError that says what was being done."""
    try:
        yield
    except (DockerException, requests.RequestException) as error:
        detail = getattr(error, "explanation", None) or error
        raise FleetError(f"{what}: {detail}") from error


class ComposeStage:
    """Starts and stops the containers labelled `loopfloor.target` of one compose project."""

    name = "compose"
    no_targets = "no targets; create their containers first: docker compose create --build"

    def __init__(self) -> None:
        with translate_faults("no Docker engine answers"):
            self._client = docker.from_env(timeout=CALL_TIMEOUT_S)
            self._me = find_own_container(self._client)
        self._project: str = self._me.labels.get(PROJECT_LABEL, "")
        if not self._project:
            raise FleetError("this container is not part of a compose project")
        self._isolated = False
        self._refuse_second_driver()

    def list_targets(self) -> Sequence[str]:
        return sorted(self._find_targets())

    def isolate(self) -> Isolation:
        driver, targets = split_cpus(read_online_cpus())
        self._isolated = True
        try:
            self._me.update(cpuset_cpus=format_cpus(driver))
            for container in self._find_targets().values():
                self._own(container).update(cpuset_cpus=format_cpus(targets))
        except (DockerException, requests.RequestException) as error:
            return Isolation(mode="none", reason=f"the engine refused CPU sets: {error}")
        return pinned("cpuset", driver, targets)

    def start(self, target: str, *, fresh: bool = True) -> Address:
        with translate_faults(f"{target} cannot be started"):
            container = self._own(self._find(target))
            if fresh and container.status in ALIVE:
                container.stop(timeout=STOP_WITHIN_S)
            container.start()  # of one that runs, this is no fault and no change
            container.reload()
            return Address(self._find_shared_address(container), TARGET_PORT)

    def stop(self, target: str) -> None:
        with translate_faults(f"{target} cannot be stopped"):
            self._own(self._find(target)).stop(timeout=STOP_WITHIN_S)

    def stop_others(self, *targets: str) -> Sequence[str]:
        with translate_faults(f"the targets beside {', '.join(targets)} cannot be stopped"):
            found = self._find_targets().items()
            others = {name: container for name, container in found if name not in targets and container.status in ALIVE}
            for container in others.values():
                self._own(container).stop(timeout=STOP_WITHIN_S)
        return list(others)

    def explain_exit(self, target: str) -> str | None:
        with translate_faults(f"{target} cannot be inspected"):
            container = self._find(target)
            state = container.attrs["State"]
            if state["Status"] == "running":
                return None
            if state["Status"] in ALIVE:
                return f"its container is {state['Status']}"
            started_at = datetime.fromisoformat(state["StartedAt"][:19] + "+00:00")
            log = container.logs(tail=LOG_TAIL_LINES, since=started_at).decode(errors="replace").strip()
        how = "was killed for its memory" if state["OOMKilled"] else f"ended with exit code {state['ExitCode']}"
        return f"its container {how}" + (f": {log}" if log else "")

    def describe(self, target: str) -> dict[str, Any]:
        with translate_faults(f"{target} cannot be inspected"):
            container = self._find(target)
            config, host = container.attrs["Config"], container.attrs["HostConfig"]
        return {
            "image": container.attrs["Image"],
            "command": [*(config["Entrypoint"] or []), *(config["Cmd"] or [])],
            "cpus": host["CpusetCpus"] or None,
        }

    def describe_host(self) -> dict[str, Any]:
        with translate_faults("the engine does not say its version"):
            engine_version = self._client.version()["Version"]
        networks = ", ".join(self._me.attrs["NetworkSettings"]["Networks"])
        return {
            "engine_version": engine_version,
            "compose_version": self._me.labels.get(COMPOSE_VERSION_LABEL),
            "path": f"container network {networks}",
        }

    def close(self) -> None:
        try:
            for container in self._find_targets().values():
                if container.status in ALIVE:
                    self._own(container).stop(timeout=STOP_WITHIN_S)
                if self._isolated:  # whatever comes next finds no trace of this run's pinning
                    self._own(container).update(cpuset_cpus=format_cpus(read_online_cpus()))
            if self._isolated:
                self._me.update(cpuset_cpus=format_cpus(read_online_cpus()))
        except (DockerException, requests.RequestException, FleetError):
            pass  # the engine is gone: nothing can be stopped any more, and what was measured is kept

    def _find_targets(self) -> dict[str, Container]:
        labels = [f"{PROJECT_LABEL}={self._project}", TARGET_LABEL]
        containers = self._client.containers.list(all=True, filters={"label": labels}, ignore_removed=True)
        return {name_target(container.labels): container for container in containers}

    def _find(self, target: str) -> Container:
        try:
            return self._find_targets()[target]
        except KeyError:
            raise FleetError(f"{target}: its container is gone from project {self._project}") from None

    def _own(self, container: Container) -> Container:
        if container.labels.get(PROJECT_LABEL) != self._project:
            raise FleetError(f"container {container.name} is not part of project {self._project}")
        return container

    def _refuse_second_driver(self) -> None:
        labels = [f"{PROJECT_LABEL}={self._project}", DRIVER_LABEL]
        with translate_faults("the engine does not list containers"):
            drivers = self._client.containers.list(filters={"label": labels})
        others = [driver.name for driver in drivers if driver.id != self._me.id]
        if others:
            raise FleetError(f"another driver already runs in project {self._project}: {', '.join(others)}")

    def _find_shared_address(self, container: Container) -> str:
        mine = self._me.attrs["NetworkSettings"]["Networks"]
        for name, network in container.attrs["NetworkSettings"]["Networks"].items():
            if name in mine and network["IPAddress"]:
                return str(network["IPAddress"])
        raise FleetError(f"container {container.name} shares no network with the driver")


def name_target(labels: Mapping[str, str]) -> str:
    """Return the target's name: its label, and of a scaled service which instance it is."""
    number = labels.get(NUMBER_LABEL, "1")
    return labels[TARGET_LABEL] if number == "1" else f"{labels[TARGET_LABEL]}-{number}"


def find_own_container(client: docker.DockerClient) -> Container:
    """Return the container that this process runs in: by its host name, else by its mounts."""
    try:
        return client.containers.get(socket.gethostname())
    except NotFound:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8")
        found = re.search(r"/containers/([0-9a-f]{64})/", mounts)
        if found is None:
            raise FleetError("the driver does not run in a container of this engine; try --stage process") from None
        return client.containers.get(found[1])


def read_online_cpus() -> list[int]:
    """Return the host's online cores: the driver's own affinity may still be that of an earlier run."""
    cpus: list[int] = []
    for part in ONLINE_CPUS.read_text(encoding="ascii").strip().split(","):
        first, _, last = part.partition("-")
        cpus.extend(range(int(first), int(last or first) + 1))
    return cpus
