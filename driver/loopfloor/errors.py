"""The fault tree: every way in which a command ends early, with its exit code.

A fault carries all that was wrong, not only the first thing found.
"""

from collections.abc import Sequence
from enum import IntEnum


class ExitCode(IntEnum):
    """The documented exit codes of the command (README)."""

    COMPLETE = 0
    BAD_USAGE = 2
    TARGET_NOT_READY = 3
    TRIALS_FAILED = 4
    DIFFERENCE_FOUND = 5
    INTERRUPTED = 130
    TERMINATED = 143


class LoopfloorError(Exception):
    """A fault with a list of findings and the exit code that it means."""

    exit_code = ExitCode.BAD_USAGE

    def __init__(self, *findings: str) -> None:
        super().__init__("; ".join(findings))
        self.findings: Sequence[str] = findings


class UsageError(LoopfloorError):
    """The plan, the arguments or the place to write to are not usable."""


class FleetError(LoopfloorError):
    """The targets could not be found, started or stopped as asked."""


class TargetNotReadyError(LoopfloorError):
    """A target did not come up in time."""

    exit_code = ExitCode.TARGET_NOT_READY


class TrialError(LoopfloorError):
    """One trial failed; the campaign goes on and says so at its end."""

    exit_code = ExitCode.TRIALS_FAILED


class RecordError(LoopfloorError):
    """The run folder can no longer be written: what is in it stays."""

    exit_code = ExitCode.TRIALS_FAILED


class ReadingError(TrialError):
    """The target's instruments could not be read."""


class GeneratorError(TrialError):
    """The load generator failed in the middle of a trial."""


class DifferenceError(LoopfloorError):
    """What was compared is not the same."""

    exit_code = ExitCode.DIFFERENCE_FOUND


class InterruptError(BaseException):
    """A signal asked the campaign to stop; what was done is kept.

    Not an `Exception`: no handler that forgives a trial may swallow it.
    """

    def __init__(self, exit_code: ExitCode) -> None:
        super().__init__(exit_code.name.lower())
        self.exit_code = exit_code
