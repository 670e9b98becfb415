"""One keep-alive HTTP/1.1 connection with at most one request in flight: the hot path.

The bytes go to the socket at once (uvloop would queue them to the end of its iteration, behind the
other answers of the same poll), so the time that the owner notes before `send` is the time of the
write. An answer that equals, byte for byte, one that the parser has accepted is not parsed again.
"""

import asyncio
import os
from time import perf_counter_ns
from typing import Protocol, cast

import httptools


class Owner(Protocol):
    """Whoever is told what became of a connection's request."""

    def answered(self, connection: "HttpConnection", status: int, at_ns: int) -> None: ...

    def lost(self, connection: "HttpConnection", at_ns: int) -> None: ...


class HttpConnection(asyncio.Protocol):
    """`key` is the owner's note of what is in flight, -1 for nothing; `usable`: another request may follow."""

    __slots__ = (
        "_answered",
        "_complete",
        "_fd",
        "_known",
        "_known_status",
        "_mid_answer",
        "_owner",
        "_parser",
        "_status",
        "_transport",
        "key",
        "usable",
    )

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._answered = owner.answered
        self._known = b""
        self._known_status = 0
        self._mid_answer = False
        self.key = -1
        self.usable = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._fd: int = transport.get_extra_info("socket").fileno()
        self._parser = httptools.HttpResponseParser(self)
        self.usable = True

    def send(self, request: bytes) -> None:
        """Write one request. A connection that broke is reported lost like any other."""
        if not self.usable:  # its descriptor may be somebody else's by now
            self._report_loss()
            return
        try:
            written = os.write(self._fd, request)
        except BlockingIOError:
            written = 0
        except OSError:
            self._lose()
            return
        if written < len(request):
            self._transport.write(request[written:])

    def data_received(self, data: bytes) -> None:
        at_ns = perf_counter_ns()
        if data == self._known and self.key >= 0 and not self._mid_answer:
            self._answered(self, self._known_status, at_ns)
        else:
            self._parse(data, at_ns)

    def _parse(self, data: bytes, at_ns: int) -> None:
        whole = not self._mid_answer
        self._complete = 0
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._lose()
            return
        self._mid_answer = self._complete == 0
        if self._mid_answer:
            return
        if self._complete > 1 or self.key < 0:
            self.usable = False
        if self.usable and whole:
            self._known, self._known_status = data, self._status
        if self.key >= 0:
            self._answered(self, self._status, at_ns)
        if not self.usable:
            self._transport.close()

    def on_message_complete(self) -> None:
        """The parser forgets status and keep-alive as soon as this returns."""
        status = self._parser.get_status_code()
        if status >= 200:  # an interim answer is not the answer
            self._complete += 1
            self._status = status
            self.usable = self.usable and self._parser.should_keep_alive()

    def connection_lost(self, _error: Exception | None) -> None:
        self._report_loss()

    def abort(self) -> None:
        """Give the connection up without a report."""
        self.key = -1
        self.usable = False
        self._transport.abort()

    def _lose(self) -> None:
        self._transport.abort()
        self._report_loss()

    def _report_loss(self) -> None:
        self.usable = False
        if self.key >= 0:
            self._owner.lost(self, perf_counter_ns())


def encode_request(route: str, host: str, port: int) -> bytes:
    """Return the bytes of one GET, the same for every target."""
    return f"GET {route} HTTP/1.1\r\nhost: {host}:{port}\r\naccept: */*\r\n\r\n".encode("ascii")


async def open_connection(owner: Owner, host: str, port: int) -> HttpConnection:
    """Connect to an address (no name look-up). Raises OSError."""
    _, connection = await asyncio.get_running_loop().create_connection(lambda: HttpConnection(owner), host, port)
    return connection
