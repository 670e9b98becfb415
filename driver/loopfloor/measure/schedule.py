"""When request n is due. Pure arithmetic from a rate and a seed; knows no clock."""

import numpy as np

from loopfloor.model import Int64s, OpenLoad
from loopfloor.units import NS_PER_S


def schedule_arrivals(load: OpenLoad) -> Int64s:
    """Return the due times in ns from the start, ascending, all within the load's duration."""
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
