"""HTTP/1.1 as it is on the wire: nothing is normalised, so nothing can hide."""

import socket
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass

TIMEOUT_S = 20.0
READ_BYTES = 65_536


@dataclass(frozen=True)
class Answer:
    """One response: header names in lower case, `took_ms` from the send to the last byte."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    took_ms: float


class Connection:
    """One connection that reads whole responses, by their content-length."""

    def __init__(self, host: str, port: int) -> None:
        self._socket = socket.create_connection((host, port), TIMEOUT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = b""

    def send(self, raw: bytes) -> None:
        self._socket.sendall(raw)

    def read(self, bodiless: bool = False) -> Answer:
        """Return the next response. Raises ConnectionError where the target closes before its end."""
        started = time.perf_counter()
        head = self._read_until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        headers = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        length = 0 if bodiless else int(headers.get("content-length", "0"))
        while len(self._buffer) < length:
            self._fill()
        body, self._buffer = self._buffer[:length], self._buffer[length:]
        return Answer(int(head[0].split(" ")[1]), headers, body, (time.perf_counter() - started) * 1e3)

    def exchange(self, raw: bytes, bodiless: bool = False) -> Answer:
        self.send(raw)
        return self.read(bodiless)

    def is_closed(self) -> bool:
        """Wait a moment for the target to close; whatever it still sends is dropped."""
        self._socket.settimeout(2.0)
        try:
            while self._socket.recv(READ_BYTES):
                pass
        except TimeoutError:
            return False
        except ConnectionError:
            return True
        return True

    def close(self) -> None:
        self._socket.close()

    def _read_until(self, end: bytes) -> bytes:
        while end not in self._buffer:
            self._fill()
        found, _, self._buffer = self._buffer.partition(end)
        return found

    def _fill(self) -> None:
        data = self._socket.recv(READ_BYTES)
        if not data:
            raise ConnectionError("the target closed before the end of its answer")
        self._buffer += data


class Wire:
    """One target's address, and requests to it on connections of their own."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port

    def connect(self) -> Connection:
        return Connection(self._host, self._port)

    def answers(self) -> bool:
        """Return whether anything speaks HTTP there."""
        try:
            return self.get("/healthz").status > 0
        except (OSError, ValueError, IndexError):
            return False

    def get(self, route: str, method: str = "GET", body: bytes | None = None) -> Answer:
        with closing(self.connect()) as connection:
            return connection.exchange(encode(route, method, body), bodiless=method == "HEAD")

    def get_each(self, routes: Iterable[str]) -> list[Answer]:
        """Send one request after the other over one connection."""
        with closing(self.connect()) as connection:
            return [connection.exchange(encode(route)) for route in routes]

    def get_together(self, routes: Iterable[str]) -> list[Answer]:
        """Send one request per connection, all before the first answer is read.

        Each connection has carried a request before: a target may accept no more than one per turn of its loop.
        """
        routes = list(routes)
        connections = [self.connect() for _ in routes]
        for connection in connections:
            connection.exchange(encode("/healthz"))
        for connection, route in zip(connections, routes, strict=True):
            connection.send(encode(route))
        answers = [connection.read() for connection in connections]
        for connection in connections:
            connection.close()
        return answers


def encode(route: str, method: str = "GET", body: bytes | None = None, headers: str = "") -> bytes:
    """Return one request; `headers` are whole lines, each with its end."""
    length = f"content-length: {len(body)}\r\n" if body is not None else ""
    return f"{method} {route} HTTP/1.1\r\nhost: target\r\n{length}{headers}\r\n".encode("latin-1") + (body or b"")
