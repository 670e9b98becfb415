"""Is this machine fit to measure on? Each finding is ok, a doubt or unfit, and says what to do."""

from collections.abc import Iterator
from pathlib import Path

from loopfloor.doctor.finding import Finding
from loopfloor.doctor.generator import examine_generator
from loopfloor.doctor.machine import examine_machine

__all__ = ["Finding", "examine"]


def examine(results: Path) -> Iterator[Finding]:
    """Yield the findings as they are made: the machine first, then the generator (about half a minute)."""
    yield from examine_machine(results)
    yield from examine_generator()
