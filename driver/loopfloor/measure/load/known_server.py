"""A server whose answers are known, to test the generator with: each comes after exactly the same delay.

    python -m loopfloor.measure.load.known_server [--delay-ms 50] [--stall-at-s 2 --stall-ms 500] [--cpu 1]

Prints its port, serves on loopback, and ends when its standard input does. With a stall it freezes once,
that long after its first request: a known schedule for the omission rule.
"""

import argparse
import asyncio
import os
import sys
import time
from collections import deque
from contextlib import suppress
from time import perf_counter_ns

import uvloop

from loopfloor.measure.load.pacer import Pacer
from loopfloor.measure.load.selftest import DELAY_MS, HOST
from loopfloor.units import ns_from_ms

HEAD_END = b"\r\n\r\n"
ANSWER = b'HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{"ok":true}'


class KnownDelay:
    """Answers in the order of arrival: with one delay for all, the first to come is the first to be due."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, delay_ns: int, stall_at_s: float | None, stall_ms: float
    ) -> None:
        self._loop = loop
        self._delay_ns = delay_ns
        self._stall_at_s = stall_at_s
        self._stall_ms = stall_ms
        self._due: deque[tuple[int, int]] = deque()  # when, and on which socket
        self._pacer = Pacer(loop, self._answer_due)

    def take(self, fd: int, count: int) -> None:
        due_ns = perf_counter_ns() + self._delay_ns
        if self._stall_at_s is not None:
            self._loop.call_later(self._stall_at_s, time.sleep, self._stall_ms / 1e3)
            self._stall_at_s = None
        if not self._due:
            self._pacer.set(due_ns)
        self._due.extend((due_ns, fd) for _ in range(count))

    def _answer_due(self) -> None:
        while self._due and self._due[0][0] <= perf_counter_ns():
            _, fd = self._due.popleft()
            with suppress(OSError):  # the client is gone, and its answer with it
                os.write(fd, ANSWER)  # at once: uvloop would write at the end of its iteration
        if self._due:
            self._pacer.set(self._due[0][0])


class KnownProtocol(asyncio.Protocol):
    """One connection; a request is whatever ends in an empty line."""

    def __init__(self, delay: KnownDelay) -> None:
        self._delay = delay
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._fd: int = transport.get_extra_info("socket").fileno()

    def data_received(self, data: bytes) -> None:
        *heads, self._rest = (self._rest + data).split(HEAD_END)
        if heads:
            self._delay.take(self._fd, len(heads))


async def serve(arguments: argparse.Namespace) -> None:
    loop = asyncio.get_running_loop()
    delay = KnownDelay(loop, ns_from_ms(arguments.delay_ms), arguments.stall_at_s, arguments.stall_ms)
    server = await loop.create_server(lambda: KnownProtocol(delay), HOST, 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    ended = asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), ended.set)
    await ended.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--delay-ms", type=float, default=DELAY_MS)
    parser.add_argument("--stall-at-s", type=float)
    parser.add_argument("--stall-ms", type=float, default=0)
    parser.add_argument("--cpu", type=int)
    arguments = parser.parse_args()
    if arguments.cpu is not None:
        os.sched_setaffinity(0, [arguments.cpu])
    uvloop.run(serve(arguments))


if __name__ == "__main__":
    main()
