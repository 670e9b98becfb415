"""The generator's process: takes orders from the pipe, runs each, sends the outcome back.

A process of its own, so that the driver's terminal, Docker client and files never share a loop or a
collector with the sends, and so that a generator that dies costs one trial and no more.
"""

import gc
import signal
import sys
from multiprocessing.connection import Connection

import uvloop

from loopfloor.measure.load.closed import ClosedLoop
from loopfloor.measure.load.open import OpenLoop
from loopfloor.measure.load.order import Order, Outcome
from loopfloor.model import ClosedLoad


def run_order(order: Order) -> Outcome | str:
    """Return the outcome, or one sentence about why there is none."""
    load = order.load
    run = (ClosedLoop(order, load) if isinstance(load, ClosedLoad) else OpenLoop(order, load)).run
    gc.collect()
    gc.freeze()
    gc.disable()  # nothing here makes cycles while it sends, and a collection would be lateness
    try:
        return uvloop.run(run())
    except OSError as error:
        return f"the load could not start against {order.host}:{order.port}: {error}"
    finally:
        gc.enable()
        gc.unfreeze()


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal's Ctrl-C is the driver's to handle
    pipe = Connection(int(sys.argv[1]))
    while True:
        try:
            order = pipe.recv()
        except EOFError:
            return
        pipe.send(run_order(order))


if __name__ == "__main__":
    main()
