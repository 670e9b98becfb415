"""What an answer, or its absence, counts as."""

from loopfloor.model import Fate

SWEEP_S = 0.05  # how often overdue requests are looked for; their age is exact all the same


def judge_answer(status: int, age_ns: int, timeout_ns: int) -> Fate:
    """An answer that comes after the time-out is one that nobody waited for any more."""
    if age_ns > timeout_ns:
        return Fate.TIMEOUT
    return Fate.OK if 200 <= status < 300 else Fate.HTTP_ERROR
