"""Start the Python target on a given event loop: `python -m target --loop uvloop`.

The loop is an argument and asserted once it runs: a target that measured another loop than its name
says would be worse than none.
"""

import argparse
import asyncio
import os
import selectors
import sys

import uvloop

from target.busy import BusyMeter, TimedSelector
from target.front import build_server
from target.info import Runtime
from target.lag import LagMonitor
from target.metrics import Metrics
from target.routes import Instruments, build_app
from target.ruler import Ruler
from target.workloads import Workloads

LOOP_CLASSES: dict[str, type[asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.SelectorEventLoop,
    "uvloop": uvloop.Loop,
}


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="target", description=__doc__)
    parser.add_argument("--loop", choices=LOOP_CLASSES, required=True)
    parser.add_argument("--host", default=os.environ.get("HOST", "0.0.0.0"))  # noqa: S104  the network is internal
    parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8080")))
    return parser.parse_args()


async def serve(loop_name: str, busy: BusyMeter, host: str, port: int) -> None:
    """Run until a signal ends the server. Refuses a loop of another class than was asked for."""
    loop = asyncio.get_running_loop()
    if type(loop) is not LOOP_CLASSES[loop_name]:
        sys.exit(f"target: asked for {loop_name}, but a {type(loop).__qualname__} runs")
    ruler = Ruler(loop)
    runtime = Runtime(loop_name=loop_name, loop=loop, busy_source=busy.source)
    lag = LagMonitor(ruler, busy)
    app = build_app(Instruments(runtime, ruler, busy, Metrics(ruler, lag), lag), Workloads(loop))
    await build_server(app, host, port).serve()


def main() -> None:
    arguments = read_arguments()
    selector = TimedSelector() if arguments.loop == "asyncio" else None
    with asyncio.Runner(loop_factory=lambda: new_loop(selector)) as runner:
        runner.run(serve(arguments.loop, BusyMeter(selector), arguments.host, arguments.port))


def new_loop(selector: selectors.BaseSelector | None) -> asyncio.AbstractEventLoop:
    return asyncio.SelectorEventLoop(selector) if selector else uvloop.new_event_loop()


if __name__ == "__main__":
    main()
