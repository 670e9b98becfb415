"""The ruler's ring and histogram, on both loops."""

import asyncio
from collections.abc import Callable
from itertools import pairwise

import pytest
import uvloop

from target.ruler import Ruler

LOOPS = {"asyncio": asyncio.SelectorEventLoop, "uvloop": uvloop.new_event_loop}


@pytest.fixture(params=LOOPS)
def runner(request: pytest.FixtureRequest) -> asyncio.Runner:
    factory: Callable[[], asyncio.AbstractEventLoop] = LOOPS[request.param]
    with asyncio.Runner(loop_factory=factory) as runner:
        yield runner


async def make_ruler(interval_ms: int) -> Ruler:
    ruler = Ruler(asyncio.get_running_loop(), ring_size=8)
    await ruler.arm(interval_ms)
    return ruler


def test_the_ring_keeps_the_newest_and_says_how_many_it_lost(runner: asyncio.Runner) -> None:
    async def check() -> None:
        ruler = await make_ruler(2)
        await asyncio.sleep(0.06)
        samples, dropped = ruler.read_samples(0)
        assert len(samples) == 8
        assert dropped > 0
        assert all(late[0] - early[0] == late[1] for early, late in pairwise(samples))

    runner.run(check())


def test_what_lies_inside_the_ring_is_sliced_without_a_loss(runner: asyncio.Runner) -> None:
    async def check() -> None:
        ruler = await make_ruler(2)
        await asyncio.sleep(0.04)
        since_ns = ruler.read_samples(0)[0][5][0]
        later, dropped = ruler.read_samples(since_ns)
        assert dropped == 0
        assert all(fired_at_ns > since_ns for fired_at_ns, _ in later)
        assert ruler.read_samples(ruler.read_clock_ns()) == ([], 0)

    runner.run(check())


def test_arming_again_answers_whoever_still_waits_for_the_arming_before(runner: asyncio.Runner) -> None:
    async def check() -> None:
        ruler = await make_ruler(1)
        first = asyncio.ensure_future(ruler.arm(1000))
        await asyncio.sleep(0)
        await ruler.arm(1)
        await first
        assert ruler.interval_ms == 1

    runner.run(check())


def test_a_reading_of_the_histogram_takes_it_and_leaves_none(runner: asyncio.Runner) -> None:
    async def check() -> None:
        ruler = await make_ruler(5)
        await asyncio.sleep(0.03)
        taken = ruler.take_histogram()
        assert taken["count"] > 0
        assert 0 < taken["min"] <= taken["mean"] <= taken["max"]
        empty = {"count": 0, "min": None, "mean": None, "p50": None, "p99": None, "max": None, "interval_ms": 5}
        assert ruler.take_histogram() == empty

    runner.run(check())
