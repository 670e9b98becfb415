"""A quota looks like a slow runtime, or like a fast generator. On real containers, with a fifth of a core."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import docker
import pytest
from docker.models.containers import Container

from loopfloor.measure.fleet import SOCKET, Stage
from loopfloor.measure.fleet.compose import PROJECT_LABEL, TARGET_LABEL, find_own_container
from loopfloor.record import find_run
from support.command import loopfloor
from support.disturbed import MAY_BE_DISTURBED
from support.plans import write_plan

pytestmark = [MAY_BE_DISTURBED, pytest.mark.skipif(not SOCKET.is_socket(), reason="no Docker socket is mounted")]

PERIOD_US = 100_000
FIFTH_OF_A_CORE_US = 20_000


@pytest.fixture(scope="module")
def client() -> Iterator[docker.DockerClient]:
    client = docker.from_env()
    yield client
    client.close()


@contextmanager
def limited(container: Container) -> Iterator[None]:
    container.update(cpu_period=PERIOD_US, cpu_quota=FIFTH_OF_A_CORE_US)
    try:
        yield
    finally:
        container.update(cpu_quota=-1)


@contextmanager
def unpinned_afterwards(client: docker.DockerClient) -> Iterator[None]:
    """A campaign on the compose stage pins the container that it runs in: this one."""
    try:
        yield
    finally:
        find_own_container(client).update(cpuset_cpus=f"0-{client.info()['NCPU'] - 1}")


def find_target(client: docker.DockerClient, target: str) -> Container:
    project = find_own_container(client).labels[PROJECT_LABEL]
    labels = [f"{PROJECT_LABEL}={project}", f"{TARGET_LABEL}={target}"]
    (container,) = client.containers.list(all=True, filters={"label": labels})
    return container


def read_rows(results: Path, table: str) -> list[dict[str, str]]:
    with (find_run(results, "latest").path / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_throttled_target_is_counted_named_and_not_admissible(
    client: docker.DockerClient, stage: Stage, tmp_path: Path
) -> None:
    """C24, kubernetes#67577."""
    stage.close()
    plan = write_plan(tmp_path, "node", ready_within_s=60)
    with limited(find_target(client, "node")), unpinned_afterwards(client):
        done = loopfloor(
            "run", "--stage", "compose", "--plan", str(plan), "--scenarios", "pair", "--results", str(tmp_path / "r")
        )
    assert done.returncode == 4, done.stdout + done.stderr
    (row,) = [row for row in read_rows(tmp_path / "r", "pair") if row["case"] == "block-x4"]
    assert int(row["throttled_periods"]) > 0
    assert float(row["throttled_s"]) > 0
    assert row["status"] == "inadmissible"
    assert "throttled" in row["doubts"].split(";")
    assert "held up by its CPU quota" in done.stdout


def test_a_starved_generator_is_named_and_its_figures_are_bounds(
    client: docker.DockerClient, stage: Stage, tmp_path: Path
) -> None:
    """C20, openlinker#2933: the driver at 0.2 CPU, offering 500 requests/s."""
    stage.close()
    plan = write_plan(tmp_path, "node", ready_within_s=60)
    plan.write_text(plan.read_text(encoding="utf-8").replace("rate_per_s = 50", "rate_per_s = 500"), encoding="utf-8")
    with limited(find_own_container(client)), unpinned_afterwards(client):
        done = loopfloor(
            "run", "--stage", "compose", "--plan", str(plan), "--scenarios", "ramp", "--results", str(tmp_path / "r")
        )
    assert "Traceback" not in done.stderr, done.stderr
    rows = read_rows(tmp_path / "r", "ramp")
    assert rows
    for row in rows:
        assert "generator_limited" in row["doubts"].split(";")
        assert int(row["generator_throttled_periods"]) > 0
    assert "read 'at least'" in done.stdout
