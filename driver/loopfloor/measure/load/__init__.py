"""The load generator: raw HTTP/1.1 connections on uvloop, in a process of its own.

`Generator` is the seam that the campaign uses; `worker` is what runs on the other side of its pipe.
Latency starts at the intended send, and every request's fate is kept.
"""

from loopfloor.measure.load.generator import Generator
from loopfloor.measure.load.order import Order, Outcome
from loopfloor.measure.load.selftest import DELAY_MS, make_closed_test, run_selftest

__all__ = ["DELAY_MS", "Generator", "Order", "Outcome", "make_closed_test", "run_selftest"]
