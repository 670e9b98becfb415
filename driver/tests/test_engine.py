"""The compose stage against the real engine that started this very container."""

import time
from collections.abc import Iterator
from typing import Any

import docker
import pytest
from docker.models.containers import Container

from loopfloor.errors import FleetError
from loopfloor.measure.fleet import SOCKET, Stage
from loopfloor.measure.fleet.compose import PROJECT_LABEL, TARGET_LABEL, ComposeStage, find_own_container
from loopfloor.measure.readings import Instruments
from support.disturbed import MAY_BE_DISTURBED
from support.ready import await_ready

pytestmark = [MAY_BE_DISTURBED, pytest.mark.skipif(not SOCKET.is_socket(), reason="no Docker socket is mounted")]


@pytest.fixture(scope="module")
def client() -> Iterator[docker.DockerClient]:
    client = docker.from_env()
    yield client
    client.close()


@pytest.fixture(scope="module")
def me(client: docker.DockerClient) -> Container:
    return find_own_container(client)


@pytest.fixture
def compose(stage: Stage) -> ComposeStage:
    assert isinstance(stage, ComposeStage)
    return stage


def start(stage: ComposeStage, target: str) -> dict[str, Any]:
    address = stage.start(target)
    await_ready(stage, target, address)
    with Instruments(address.url) as instruments:
        return instruments.read_info() | {"now_ns": instruments.read_counters().now_ns}


def test_the_three_targets_are_found_by_their_label(compose: ComposeStage) -> None:
    assert set(compose.list_targets()) >= {"asyncio", "uvloop", "node"}


def test_a_start_is_always_a_fresh_process_and_a_stop_is_said(compose: ComposeStage) -> None:
    start(compose, "node")
    address = compose.start("node")  # it runs: it is stopped first
    await_ready(compose, "node", address)
    with Instruments(address.url) as instruments:
        busy_s = instruments.read_counters().busy_s
    assert busy_s is not None
    assert busy_s < 1
    assert compose.explain_exit("node") is None
    compose.stop("node")
    compose.stop("node")
    assert compose.explain_exit("node") == "its container ended with exit code 0"


def test_whatever_else_runs_is_stopped_and_named(compose: ComposeStage) -> None:
    start(compose, "node")
    start(compose, "uvloop")
    assert set(compose.stop_others("uvloop")) == {"node"}
    assert compose.explain_exit("uvloop") is None
    assert compose.stop_others("uvloop") == []
    compose.stop("uvloop")


def test_one_that_runs_may_serve_where_a_fresh_one_is_not_needed(compose: ComposeStage) -> None:
    before = start(compose, "node")["now_ns"]
    address = compose.start("node", fresh=False)
    with Instruments(address.url) as instruments:
        busy_s = instruments.read_counters().busy_s
    assert before
    assert busy_s is not None
    compose.stop("node")


def test_a_paused_target_is_explained(compose: ComposeStage, client: docker.DockerClient, me: Container) -> None:
    start(compose, "node")
    labels = [f"{PROJECT_LABEL}={me.labels[PROJECT_LABEL]}", f"{TARGET_LABEL}=node"]
    (container,) = client.containers.list(filters={"label": labels})
    container.pause()
    assert compose.explain_exit("node") == "its container is paused"
    container.unpause()
    compose.stop("node")


def test_a_killed_target_is_explained(compose: ComposeStage, client: docker.DockerClient, me: Container) -> None:
    start(compose, "uvloop")
    labels = [f"{PROJECT_LABEL}={me.labels[PROJECT_LABEL]}", f"{TARGET_LABEL}=uvloop"]
    (container,) = client.containers.list(filters={"label": labels})
    container.kill()
    deadline = time.monotonic() + 10
    while compose.explain_exit("uvloop") is None and time.monotonic() < deadline:
        time.sleep(0.1)
    assert compose.explain_exit("uvloop") == "its container ended with exit code 137"


def test_driver_and_targets_get_cores_of_their_own(
    compose: ComposeStage, client: docker.DockerClient, me: Container
) -> None:
    every = f"0-{client.info()['NCPU'] - 1}"
    try:
        isolation = compose.isolate()
        info = start(compose, "node")
        assert isolation.mode in {"cpuset", "shared"}
        assert info["limits"]["cpus_allowed"].replace("-", ",") == isolation.target_cpus
        assert (isolation.driver_cpus != isolation.target_cpus) == (isolation.mode == "cpuset")
        assert compose.describe("node")["cpus"] == isolation.target_cpus
    finally:
        me.update(cpuset_cpus=every)
        compose.stop("node")


def test_the_container_limits_are_those_that_the_target_sees(compose: ComposeStage) -> None:
    info = start(compose, "asyncio")
    assert info["limits"]["memory_limit_bytes"] == 512 * 1024 * 1024
    assert info["limits"]["cpu_quota"] is None
    assert compose.describe("asyncio")["image"].startswith("sha256:")
    assert compose.describe_host()["engine_version"]
    compose.stop("asyncio")


@pytest.fixture
def stranger(client: docker.DockerClient, me: Container) -> Iterator[Container]:
    """A container that looks like a target, of another project."""
    labels = {PROJECT_LABEL: "somebody-else", TARGET_LABEL: "node"}
    container = client.containers.create(me.image, labels=labels, network_mode="none")
    yield container
    container.remove(force=True)


def test_containers_of_another_project_are_neither_seen_nor_touched(compose: ComposeStage, stranger: Container) -> None:
    assert stranger.id not in {container.id for container in compose._find_targets().values()}
    with pytest.raises(FleetError, match="not part of project"):
        compose._own(stranger)
    compose.close()
    stranger.reload()
    assert stranger.status == "created"


def test_a_second_driver_in_the_same_project_is_refused(client: docker.DockerClient, me: Container) -> None:
    labels = {PROJECT_LABEL: me.labels[PROJECT_LABEL], "loopfloor.driver": "true"}
    other = client.containers.run(
        me.image, ["-c", "sleep 60"], entrypoint="/bin/sh", labels=labels, network_mode="none", detach=True
    )
    try:
        with pytest.raises(FleetError, match="another driver already runs"):
            ComposeStage()
    finally:
        other.remove(force=True)


def test_a_target_whose_container_is_gone_is_said(compose: ComposeStage) -> None:
    for call in (compose.start, compose.stop, compose.explain_exit, compose.describe):
        with pytest.raises(FleetError, match="its container is gone"):
            call("no-such-target")


def test_targets_run_without_privileges_or_a_way_out(client: docker.DockerClient, me: Container) -> None:
    labels = [f"{PROJECT_LABEL}={me.labels[PROJECT_LABEL]}", TARGET_LABEL]
    containers = client.containers.list(all=True, filters={"label": labels})
    assert len(containers) >= 3
    for container in containers:
        config, host = container.attrs["Config"], container.attrs["HostConfig"]
        assert config["User"] == "10001:10001"
        assert host["ReadonlyRootfs"]
        assert host["CapDrop"] == ["ALL"]
        assert not host["CapAdd"]
        assert "no-new-privileges:true" in host["SecurityOpt"]
        assert host["PidsLimit"] == 64
        assert host["Memory"] == 512 * 1024 * 1024
        assert not host["PortBindings"]
        assert not container.attrs["Mounts"]
        for name in container.attrs["NetworkSettings"]["Networks"]:
            assert client.networks.get(name).attrs["Internal"], name
