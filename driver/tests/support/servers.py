"""Fake targets for the load: each answers a request in one known way, some wrongly."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress

Handler = Callable[[int, asyncio.StreamWriter], Awaitable[None]]  # number of the request, and where to answer

OK = b'HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{"ok":true}'


def respond(status: int = 200, after_s: float = 0) -> Handler:
    """Answer every request with `status`, after a while."""

    async def handle(_number: int, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(after_s)
        writer.write(OK.replace(b"200 OK", b"%d X" % status))

    return handle


async def never(_number: int, _writer: asyncio.StreamWriter) -> None:
    """Leave the request without an answer."""


async def reset(_number: int, writer: asyncio.StreamWriter) -> None:
    """Reset the connection."""
    writer.transport.abort()


async def close_after_answer(_number: int, writer: asyncio.StreamWriter) -> None:
    """Answer and close, without a word about it in the headers."""
    writer.write(OK)
    writer.close()


async def in_pieces(_number: int, writer: asyncio.StreamWriter) -> None:
    """Write head and body apart, as uvicorn does."""
    writer.write(OK[:-11])
    await writer.drain()
    await asyncio.sleep(0.002)
    writer.write(OK[-11:])


async def garbage(_number: int, writer: asyncio.StreamWriter) -> None:
    """Answer what is not HTTP."""
    writer.write(b"\x00\xff not http \r\n\r\n")


def alternate(*handlers: Handler) -> Handler:
    """Answer request n as handler n modulo their number does."""

    async def handle(number: int, writer: asyncio.StreamWriter) -> None:
        await handlers[number % len(handlers)](number, writer)

    return handle


@contextmanager
def serve(handler: Handler) -> Iterator[int]:
    """Serve on a loopback port, in a thread, until the end of the block; yields the port."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(start(handler), loop).result()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(stop(server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def start(handler: Handler) -> asyncio.Server:
    count = 0

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                await reader.readuntil(b"\r\n\r\n")
                number, count = count, count + 1
                await handler(number, writer)
                await writer.drain()
        writer.close()

    return await asyncio.start_server(talk, "127.0.0.1", 0, backlog=512)


async def stop(server: asyncio.Server) -> None:
    server.close()
    server.close_clients()
    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
