"""The closed loop: each user sends, waits for the answer, and sends again.

Latency is counted from the send, since nothing was intended before it; whoever reads it has to know.
"""

import asyncio
from array import array
from time import perf_counter_ns

import numpy as np

from loopfloor.measure.load.connection import HttpConnection, encode_request, open_connection
from loopfloor.measure.load.fates import DRAIN_SWEEP_S, SWEEP_S, judge_answer
from loopfloor.measure.load.meter import GeneratorMeter
from loopfloor.measure.load.order import Order, Outcome
from loopfloor.model import ClosedLoad, Fate, Requests, Window
from loopfloor.units import ns_from_s, s_from_ns

RETRY_AFTER_S = 0.1  # a refused user waits, or it would fail thousands of times a second


class ClosedLoop:
    """One run of one order. `key` of a connection is the time at which it last sent."""

    def __init__(self, order: Order, load: ClosedLoad) -> None:
        self._order = order
        self._load = load
        self._request = encode_request(load.route, order.host, order.port)
        self._timeout_ns = ns_from_s(order.timeout_s)
        self._users: set[HttpConnection] = set()
        self._reopening: set[asyncio.Task[None]] = set()
        self._opened = 0
        self._end_ns = 0
        self._log = array("q")  # sent, done, status, fate; flat, 32 bytes a request

    async def run(self) -> Outcome:
        """Raises OSError when the first connections cannot be opened."""
        for opening in asyncio.as_completed([self._open_user() for _ in range(self._load.connections)]):
            await opening
        start_ns = perf_counter_ns()
        self._end_ns = start_ns + ns_from_s(self._load.duration_s)
        meter = GeneratorMeter(asyncio.get_running_loop(), start_ns)
        self._start_users(list(self._users))
        while (left_ns := self._end_ns - perf_counter_ns()) > 0:
            await asyncio.sleep(min(SWEEP_S, s_from_ns(left_ns)))
            self._give_up_overdue()
        meter.stop()
        await self._drain()
        window = Window(start_ns=start_ns, end_ns=self._end_ns, drained_ns=perf_counter_ns())
        return Outcome(self._collect(), window, meter.read(self._opened, self._load.connections))

    def _start_users(self, users: list[HttpConnection]) -> None:
        loop = asyncio.get_running_loop()
        for number, user in enumerate(users):
            if self._load.spread_s:
                loop.call_later(number * self._load.spread_s / len(users), self._send, user)
            else:
                self._send(user)

    def answered(self, user: HttpConnection, status: int, at_ns: int) -> None:
        sent_ns = user.key
        user.key = -1
        fate, done_ns = judge_answer(status, sent_ns, at_ns, self._timeout_ns)
        self._log.extend((sent_ns, done_ns, status, fate))
        if not user.usable:
            self._replace(user, after_s=0)
        elif at_ns < self._end_ns:
            self._send(user)

    def lost(self, user: HttpConnection, at_ns: int) -> None:
        self._log.extend((user.key, at_ns, 0, Fate.CONN_ERROR))
        user.key = -1
        self._replace(user, after_s=RETRY_AFTER_S)

    def _send(self, user: HttpConnection) -> None:
        user.key = perf_counter_ns()
        user.send(self._request)

    async def _open_user(self) -> HttpConnection:
        user = await open_connection(self, self._order.host, self._order.port)
        self._opened += 1
        self._users.add(user)
        return user

    def _replace(self, user: HttpConnection, after_s: float) -> None:
        self._users.discard(user)
        task = asyncio.get_running_loop().create_task(self._reopen(after_s))
        self._reopening.add(task)
        task.add_done_callback(self._reopening.discard)

    async def _reopen(self, after_s: float) -> None:
        """Give a user whose connection broke a new one; each attempt that fails is a request that failed."""
        await asyncio.sleep(after_s)
        while (attempt_ns := perf_counter_ns()) < self._end_ns:
            try:
                self._send(await asyncio.wait_for(self._open_user(), self._order.timeout_s))
                return
            except OSError as error:  # TimeoutError is one of them
                fate = Fate.TIMEOUT if isinstance(error, TimeoutError) else Fate.CONN_ERROR
                self._log.extend((attempt_ns, perf_counter_ns(), 0, fate))
                await asyncio.sleep(RETRY_AFTER_S)

    def _give_up_overdue(self) -> None:
        oldest_ns = perf_counter_ns() - self._timeout_ns
        for user in [user for user in self._users if 0 <= user.key < oldest_ns]:
            self._log.extend((user.key, user.key + self._timeout_ns, 0, Fate.TIMEOUT))
            user.abort()
            self._replace(user, after_s=0)

    async def _drain(self) -> None:
        """Wait until every request is accounted for, by its answer or by its time-out."""
        for task in list(self._reopening):
            task.cancel()
        while any(user.key >= 0 for user in self._users):
            await asyncio.sleep(DRAIN_SWEEP_S)
            self._give_up_overdue()
        for user in self._users:
            user.abort()

    def _collect(self) -> Requests:
        log = np.array(self._log, dtype=np.int64).reshape(-1, 4)
        log = log[np.argsort(log[:, 0], kind="stable")]
        return Requests(
            intended_ns=log[:, 0].copy(),
            sent_ns=log[:, 0].copy(),
            done_ns=log[:, 1].copy(),
            status=log[:, 2].astype(np.int16),
            fate=log[:, 3].astype(np.int8),
            route=np.zeros(len(log), dtype=np.int8),
        )
