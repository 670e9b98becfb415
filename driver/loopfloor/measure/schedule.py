"""When request n is due. Pure arithmetic from a rate and a seed; knows no clock."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loopfloor.model import Int64s, OpenLoad, Send, TimedLoad
from loopfloor.units import NS_PER_S, ns_from_s


@dataclass(frozen=True)
class Schedule:
    """Due times in ns from the start, ascending, and which of `routes` each request calls."""

    due_ns: Int64s
    route: NDArray[np.int8]
    routes: Sequence[str]


def schedule_sends(load: OpenLoad | TimedLoad) -> Schedule:
    """Return what an open loop has to send, all of it within the load's duration."""
    if isinstance(load, TimedLoad):
        return merge_sends(np.zeros(0, dtype=np.int64), [], load.sends)
    return merge_sends(schedule_arrivals(load), [load.route], load.extra)


def merge_sends(due_ns: Int64s, routes: Sequence[str], extra: Sequence[Send]) -> Schedule:
    """Return one schedule of what is due at `due_ns` on the one route, and of the sends beside it.

    Equal times keep their order.
    """
    routes = list(dict.fromkeys([*routes, *(send.route for send in extra)]))
    due = np.concatenate([due_ns, np.array([ns_from_s(send.at_s) for send in extra], dtype=np.int64)])
    route = np.concatenate([np.zeros(len(due_ns)), [routes.index(send.route) for send in extra]]).astype(np.int8)
    order = np.argsort(due, kind="stable")
    return Schedule(due[order], route[order], routes)


def schedule_arrivals(load: OpenLoad) -> Int64s:
    """Return the due times of a load at a rate."""
    if load.arrivals == "poisson":
        return schedule_poisson(load.rate_per_s, load.duration_s, load.seed)
    return schedule_constant(load.rate_per_s, load.duration_s)


def schedule_constant(rate_per_s: float, duration_s: float) -> Int64s:
    """Return evenly spaced due times; the first is 0."""
    count = int(np.ceil(rate_per_s * duration_s - 1e-9))
    return np.rint(np.arange(count) * (NS_PER_S / rate_per_s)).astype(np.int64)


def schedule_poisson(rate_per_s: float, duration_s: float, seed: int) -> Int64s:
    """Return the due times of a Poisson process: exponential gaps, the same for the same seed."""
    generator = np.random.default_rng(seed)
    mean_ns = NS_PER_S / rate_per_s
    expected = rate_per_s * duration_s
    gaps_ns = generator.exponential(mean_ns, int(expected + 10 * np.sqrt(expected) + 10))
    due_ns = np.rint(np.cumsum(gaps_ns)).astype(np.int64)
    return due_ns[due_ns < duration_s * NS_PER_S]
