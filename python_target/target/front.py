"""The HTTP front: uvicorn with httptools, set so that every runtime speaks the same HTTP.

What uvicorn leaves open and the contract does not: a header block over 16 KiB is refused, and the
raw request target is what the routes see.
"""

from typing import Any

import httptools
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from target.admission import Admission

MAX_HEAD_BYTES = 16_384
KEEP_ALIVE_S = 75
BACKLOG = 2048
STOP_WITHIN_S = 1
HEAD_END = b"\r\n\r\n"
LINE_BYTES = 4  # the colon, the space and the line end of each header
HEAD_REFUSAL_BODY = b'{"error":"header block too large; allowed are 16384 bytes"}'
HEAD_REFUSAL = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: %d\r\n"
    b"content-type: application/json\r\nconnection: close\r\n\r\n%b" % (len(HEAD_REFUSAL_BODY), HEAD_REFUSAL_BODY)
)


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with a bounded header block and an unnormalised request target."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head = False
        self._saw_body = False
        self._head_bytes = 0

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        continues, self._saw_body = self._in_head, False
        super().data_received(data)
        if not self._in_head:
            return
        if continues:
            self._head_bytes += len(data)
        elif not self._saw_body:
            # Only what stands behind the last complete head belongs to the unfinished one.
            self._head_bytes = len(data.rpartition(HEAD_END)[2])
        if self._head_bytes > MAX_HEAD_BYTES:
            self._refuse_head()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True

    def on_body(self, body: bytes) -> None:
        self._saw_body = True
        super().on_body(body)

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._head_bytes = 0
        if self.parser.get_method() == b"CONNECT":
            raise httptools.HttpParserError("there is nothing to connect to")
        if len(self.url) + sum(len(name) + len(value) + LINE_BYTES for name, value in self.headers) > MAX_HEAD_BYTES:
            self._refuse_head()
            raise httptools.HttpParserError("header block too large")
        # uvicorn would split, decode and sometimes refuse the target; the contract compares it as it came.
        target, self.url = self.url, b"/"
        super().on_headers_complete()
        raw_path, _, query = target.partition(b"?")
        self.scope["raw_path"] = raw_path
        self.scope["path"] = raw_path.decode("latin-1")
        self.scope["query_string"] = query

    def send_400_response(self, msg: str) -> None:
        if not self.transport.is_closing():
            super().send_400_response(msg)

    def _refuse_head(self) -> None:
        self.transport.write(HEAD_REFUSAL)
        self.transport.close()


def build_server(app: Admission, host: str, port: int) -> uvicorn.Server:
    """Return the server, ready to `serve()` on the loop that already runs."""
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        loop="none",
        http=BoundedProtocol,
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=STOP_WITHIN_S,
    )
    return uvicorn.Server(config)
