"""The open loop: requests are sent when they are due, whether or not earlier ones were answered.

Latency and time-outs are counted from the intended send, so a target that stalls cannot slow its own
measurement down (coordinated omission).
"""

import asyncio
from array import array
from time import perf_counter_ns

import numpy as np

from loopfloor.measure.load.connection import HttpConnection, encode_request, open_connection
from loopfloor.measure.load.fates import DRAIN_SWEEP_S, SWEEP_S, judge_answer
from loopfloor.measure.load.meter import GeneratorMeter
from loopfloor.measure.load.order import Order, Outcome
from loopfloor.measure.load.pacer import Pacer
from loopfloor.measure.schedule import schedule_sends
from loopfloor.model import Fate, OpenLoad, Requests, TimedLoad, Window
from loopfloor.units import ns_from_s, s_from_ns

MOST_SENDS_AT_ONCE = 32
PENDING = -1  # a fate not yet known


class OpenLoop:
    """One run of one order. `key` of a connection is the index of the request that it carries."""

    def __init__(self, order: Order, load: OpenLoad | TimedLoad) -> None:
        self._order = order
        self._load = load
        self._schedule = schedule_sends(load)
        encoded = [encode_request(route, order.host, order.port) for route in self._schedule.routes]
        self._requests = [encoded[route] for route in self._schedule.route.tolist()]
        self._prelude = load.prelude if isinstance(load, OpenLoad) else None
        self._connections = load.connections if isinstance(load, TimedLoad) else 1
        self._timeout_ns = ns_from_s(order.timeout_s)
        self._count = len(self._requests)
        self._intended: list[int] = []
        self._sent = array("q", bytes(8 * self._count))
        self._done = array("q", bytes(8 * self._count))
        self._status = array("h", bytes(2 * self._count))
        self._fate = array("b", [PENDING]) * self._count
        self._next = 0  # the next request to send
        self._oldest = 0  # every request before it is accounted for
        self._idle: list[HttpConnection] = []
        self._carriers: dict[int, HttpConnection | asyncio.Task[None]] = {}
        self._in_flight_max = 0
        self._opened = 0

    async def run(self) -> Outcome:
        """Raises OSError when the first connection cannot be opened."""
        loop = asyncio.get_running_loop()
        await self._open_early()
        start_ns = perf_counter_ns()
        end_ns = start_ns + ns_from_s(self._load.duration_s)
        self._intended = (self._schedule.due_ns + start_ns).tolist()
        meter = GeneratorMeter(loop, start_ns)
        self._pacer = Pacer(loop, self._send_due)
        self._send_due()
        while (left_ns := end_ns - perf_counter_ns()) > 0:
            await asyncio.sleep(min(SWEEP_S, s_from_ns(left_ns)))
            self._give_up_overdue()
        meter.stop()
        await self._drain()
        window = Window(start_ns=start_ns, end_ns=end_ns, drained_ns=perf_counter_ns())
        return Outcome(self._collect(), window, meter.read(self._opened, self._in_flight_max))

    async def _open_early(self) -> None:
        """Open connections before the start, and call the prelude over the first."""
        first = await open_connection(self, self._order.host, self._order.port)
        self._opened += 1
        if self._prelude is not None:
            self._prelude_status: asyncio.Future[int] = asyncio.get_running_loop().create_future()
            first.key = self._count  # behind the last request
            first.send(encode_request(self._prelude, self._order.host, self._order.port))
            await asyncio.wait([self._prelude_status], timeout=self._order.timeout_s)
            status = self._prelude_status.result() if self._prelude_status.done() else 0
            if status != 200:
                raise OSError(f"{self._prelude} answered {status or 'nothing'}")
        self._idle.append(first)
        while self._opened < self._connections:
            self._idle.append(await open_connection(self, self._order.host, self._order.port))
            self._opened += 1

    def _send_due(self) -> None:
        """Send what is due by now, then sleep until the next one is.

        So many at most in one go: a generator that is behind has to read answers too, or it would fill the cap on
        requests in flight by itself.
        """
        for _ in range(MOST_SENDS_AT_ONCE):
            if self._next == self._count:
                return
            if self._intended[self._next] > perf_counter_ns():
                break
            self._dispatch(self._next)
            self._next += 1
        if self._next < self._count:
            self._pacer.set(self._intended[self._next])

    def _dispatch(self, index: int) -> None:
        while self._idle:
            connection = self._idle.pop()
            if connection.usable:
                self._carriers[index] = connection
                self._send(connection, index)
                break
        else:
            if len(self._carriers) >= self._order.max_in_flight:
                self._fate[index] = Fate.SKIPPED
                return
            self._carriers[index] = asyncio.get_running_loop().create_task(self._open_and_send(index))
        self._in_flight_max = max(self._in_flight_max, len(self._carriers))

    def _send(self, connection: HttpConnection, index: int) -> None:
        connection.key = index
        self._sent[index] = perf_counter_ns()
        connection.send(self._requests[index])

    async def _open_and_send(self, index: int) -> None:
        try:
            connection = await open_connection(self, self._order.host, self._order.port)
        except OSError:
            self._settle(index, Fate.CONN_ERROR, perf_counter_ns())
            return
        self._opened += 1
        self._carriers[index] = connection
        self._send(connection, index)

    def answered(self, connection: HttpConnection, status: int, at_ns: int) -> None:
        index, connection.key = connection.key, -1
        if index == self._count:
            self._prelude_status.set_result(status)
            return
        self._status[index] = status
        self._settle(index, *judge_answer(status, self._intended[index], at_ns, self._timeout_ns))
        if connection.usable:
            self._idle.append(connection)

    def lost(self, connection: HttpConnection, at_ns: int) -> None:
        index, connection.key = connection.key, -1
        if index == self._count:
            self._prelude_status.set_result(0)
        else:
            self._settle(index, Fate.CONN_ERROR, at_ns)

    def _settle(self, index: int, fate: Fate, at_ns: int) -> None:
        self._fate[index] = fate
        self._done[index] = at_ns
        del self._carriers[index]

    def _give_up_overdue(self) -> None:
        """Time out what is older than the time-out. Requests are due in order, so the oldest come first."""
        last_ns = perf_counter_ns() - self._timeout_ns
        while self._oldest < self._next and (
            self._fate[self._oldest] != PENDING or self._intended[self._oldest] <= last_ns
        ):
            if self._fate[self._oldest] == PENDING:
                self._give_up(self._oldest)
            self._oldest += 1

    def _give_up(self, index: int) -> None:
        carrier = self._carriers[index]
        self._settle(index, Fate.TIMEOUT, self._intended[index] + self._timeout_ns)
        if isinstance(carrier, HttpConnection):
            carrier.abort()
        else:
            carrier.cancel()

    async def _drain(self) -> None:
        """Wait until every request is accounted for, by its answer or by its time-out."""
        while self._next < self._count or self._carriers:
            await asyncio.sleep(DRAIN_SWEEP_S)
            self._give_up_overdue()
        self._pacer.close()
        for connection in self._idle:
            connection.abort()

    def _collect(self) -> Requests:
        return Requests(
            intended_ns=np.array(self._intended, dtype=np.int64),
            sent_ns=np.array(self._sent, dtype=np.int64),
            done_ns=np.array(self._done, dtype=np.int64),
            status=np.array(self._status, dtype=np.int16),
            fate=np.array(self._fate, dtype=np.int8),
            route=self._schedule.route,
        )
