"""What an answer, or its absence, counts as."""

from loopfloor.model import Fate

SWEEP_S = 0.05  # how often overdue requests are looked for; their age is exact all the same
DRAIN_SWEEP_S = 0.002  # the same once sending is over: what follows is idle time of the target


def judge_answer(status: int, due_ns: int, at_ns: int, timeout_ns: int) -> tuple[Fate, int]:
    """Return what the answer counts as, and when the request ended.

    An answer that comes after the time-out is one that nobody waited for any more.
    """
    if at_ns - due_ns > timeout_ns:
        return Fate.TIMEOUT, due_ns + timeout_ns
    return (Fate.OK if 200 <= status < 300 else Fate.HTTP_ERROR), at_ns
