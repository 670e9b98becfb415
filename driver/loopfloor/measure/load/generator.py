"""The campaign's end of the generator: hands an order over and waits for the outcome."""

import pickle
import socket
import subprocess
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection

from loopfloor.errors import GeneratorError
from loopfloor.measure.load.order import Order, Outcome

TICK_S = 1.0
GRACE_S = 30.0  # beyond duration and time-out, before a silent generator counts as hung


class Generator:
    """A generator process, started at the first order and again after it died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None

    def run(self, order: Order, on_tick: Callable[[], None] = lambda: None) -> Outcome:
        """Run one order; `on_tick` is called about once a second meanwhile.

        Raises GeneratorError when the process dies or hangs, or the load cannot start.
        """
        pipe = self._ensure_started()
        left_s = order.load.duration_s + order.timeout_s + GRACE_S
        try:
            pipe.send(order)
            while not pipe.poll(TICK_S):
                on_tick()
                left_s -= TICK_S
                if left_s < 0:
                    raise GeneratorError("the load generator did not come back")
            outcome = pipe.recv()
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            code = self._stop()
            raise GeneratorError(f"the load generator died in mid-trial (exit code {code})") from error
        except BaseException:
            self._stop()
            raise
        if isinstance(outcome, str):
            raise GeneratorError(outcome)
        assert isinstance(outcome, Outcome)
        return outcome

    def close(self) -> None:
        self._stop()

    def _ensure_started(self) -> Connection:
        if self._pipe is None:
            ours, theirs = socket.socketpair()
            command = [sys.executable, "-m", "loopfloor.measure.load", str(theirs.fileno())]
            self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
            theirs.close()
            self._pipe = Connection(ours.detach())
        return self._pipe

    def _stop(self) -> int | None:
        if self._process is None or self._pipe is None:
            return None
        self._pipe.close()
        self._process.kill()
        code = self._process.wait()
        self._process = self._pipe = None
        return code
