"""The Python target with one fault, for the tests: `python -m support.faulty_target --fault half-500 --port 9000`.

Its instruments are the real ones; only the workload routes misbehave.
"""

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from target.admission import INSTRUMENTS
from target.busy import BusyMeter
from target.front import build_server
from target.info import Runtime
from target.lag import LagMonitor
from target.metrics import Metrics
from target.routes import Instruments, build_app
from target.ruler import Ruler
from target.workloads import Workloads, burn

Send = Callable[[Any], Awaitable[None]]
NEVER, BROKEN_OFF, REFUSED = {19, 39, 59, 79, 99}, {29, 69}, {9, 49, 89}
SLOW_S = 2


async def answer(send: Send, status: int, body: bytes = b'{"ok":true}') -> None:
    headers = [(b"content-length", str(len(body)).encode()), (b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Faulty:
    """An ASGI app around the real one."""

    def __init__(self, app: Any, fault: str) -> None:
        self._app = app
        self._fault = fault
        self._count = 0
        self._started = 0.0

    async def __call__(self, scope: Any, receive: Any, send: Send) -> None:
        if scope["path"] in INSTRUMENTS or not await self._misbehave(scope["path"], send):
            await self._app(scope, receive, send)

    async def _misbehave(self, path: str, send: Send) -> bool:
        """Return whether the request was taken care of."""
        self._count += 1
        if self._fault == "half-500" and self._count % 2:
            await asyncio.sleep(0.001)
            await answer(send, 500)
            return True
        if self._fault == "mixed":
            return await self._mix(send)
        if self._fault == "slow-start" and path == "/block":
            self._started = self._started or time.monotonic()
            burn(120 if time.monotonic() - self._started < SLOW_S else 0)  # 150 ms in all instead of 30
        return False

    async def _mix(self, send: Send) -> bool:
        """5 % never answered, 2 % broken off, 3 % status 500, well mixed."""
        turn = self._count % 100
        if turn in NEVER:
            await asyncio.Event().wait()
        if turn in BROKEN_OFF:
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"11")]})
            raise ConnectionError("broken off in mid-answer")
        if turn in REFUSED:
            await answer(send, 500)
        return turn in REFUSED


async def serve(fault: str, port: int) -> None:
    loop = asyncio.get_running_loop()
    busy, ruler = BusyMeter(None), Ruler(loop)
    lag = LagMonitor(ruler, busy)
    instruments = Instruments(Runtime("asyncio", loop, busy.source), ruler, busy, Metrics(ruler, lag), lag)
    app = build_app(instruments, Workloads(loop))
    await build_server(Faulty(app, fault), "127.0.0.1", port).serve()  # type: ignore[arg-type]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--fault", choices=["half-500", "mixed", "slow-start"], required=True)
    parser.add_argument("--host")
    parser.add_argument("--port", type=int, required=True)
    arguments = parser.parse_args()
    asyncio.run(serve(arguments.fault, arguments.port))


if __name__ == "__main__":
    main()
