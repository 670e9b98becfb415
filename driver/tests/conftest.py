"""Fixtures: the three targets one at a time, as containers where an engine answers, else as local processes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from loopfloor.conform import Wire
from loopfloor.measure.fleet import SOCKET, Address, Stage
from loopfloor.measure.fleet.compose import ComposeStage
from loopfloor.measure.fleet.process import ProcessStage, list_launches
from support.browser import browser  # noqa: F401 a fixture
from support.ready import await_ready

SOURCE = Path(__file__).parents[2]
TARGETS = ("asyncio", "uvloop", "node")


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    stage: Stage = ComposeStage() if SOCKET.is_socket() else ProcessStage(list_launches(SOURCE))
    stage.close()  # whatever runs already would be load beside the tests
    yield stage
    stage.close()


@pytest.fixture(scope="module", params=TARGETS)
def address(request: pytest.FixtureRequest, stage: Stage) -> Iterator[Address]:
    """One running target after the other; each module gets fresh processes."""
    address = stage.start(request.param)
    await_ready(stage, request.param, address)
    yield address
    stage.stop(request.param)


@pytest.fixture
def wire(address: Address) -> Wire:
    return Wire(address.host, address.port)
