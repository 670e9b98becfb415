"""The ideal single lane: the actual arrivals of an open-loop trial through one perfect FIFO lane.

It is the ideal *FIFO* lane. A runtime that serves some and starves others can show a better median and
a far worse tail than it; that is a finding, not an error.
"""

import heapq
from collections.abc import Callable

import numpy as np

from loopfloor.model import Fate, Int64s, Requests

Work = Callable[[int], int]  # when a request starts in the lane -> how long it holds it, both in ns


def serve_fifo(arrivals_ns: Int64s, work: Work) -> Int64s:
    """Return when each request is done. `arrivals_ns` ascend; the work is decided when it starts."""
    done_ns = np.empty_like(arrivals_ns)
    free_ns = 0
    for index, arrival_ns in enumerate(arrivals_ns.tolist()):
        start_ns = max(arrival_ns, free_ns)
        free_ns = start_ns + work(start_ns)
        done_ns[index] = free_ns
    return done_ns


def serve_two_visits(arrivals_ns: Int64s, work_ns: Int64s | int, wait_ns: Int64s | int) -> Int64s:
    """Return when each request is done that visits the lane, waits outside it, and visits again for no time.

    The second visit queues like any other: it is the callback behind the wait. What waits for nothing has none.
    """
    works = np.broadcast_to(work_ns, arrivals_ns.shape).tolist()
    waits = np.broadcast_to(wait_ns, arrivals_ns.shape).tolist()
    done_ns = np.empty_like(arrivals_ns)
    queue = [(arrival_ns, index, True) for index, arrival_ns in enumerate(arrivals_ns.tolist())]
    heapq.heapify(queue)
    free_ns = 0
    while queue:
        queued_ns, index, is_first = heapq.heappop(queue)
        start_ns = max(queued_ns, free_ns)
        free_ns = start_ns + works[index] if is_first else start_ns
        if is_first and waits[index] > 0:
            heapq.heappush(queue, (free_ns + waits[index], index, False))
        else:
            done_ns[index] = free_ns
    return done_ns


def arrivals_of(requests: Requests) -> Int64s:
    """Return when each request really reached the lane: its send, or where there was none, when it was due."""
    return np.where(requests.sent_ns > 0, requests.sent_ns, requests.intended_ns)


def idealise(requests: Requests, serve: Callable[[Int64s, Int64s], Int64s]) -> Requests:
    """Return the same requests as the ideal lane would have answered them. What was skipped never arrived.

    `serve` is given the arrivals, ascending, and which requests they are.
    """
    arrived = requests.fate != Fate.SKIPPED
    arrivals_ns = arrivals_of(requests)[arrived]
    order = np.argsort(arrivals_ns, kind="stable")
    done_ns = np.zeros_like(arrivals_ns)
    done_ns[order] = serve(arrivals_ns[order], np.flatnonzero(arrived)[order])
    count = len(arrivals_ns)
    return Requests(
        intended_ns=requests.intended_ns[arrived],
        sent_ns=arrivals_ns,
        done_ns=done_ns,
        status=np.full(count, 200, dtype=np.int16),
        fate=np.full(count, Fate.OK, dtype=np.int8),
        route=requests.route[arrived],
    )
