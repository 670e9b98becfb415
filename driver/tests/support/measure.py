"""One trial against one running target, without a campaign around it."""

from dataclasses import dataclass

from loopfloor.judge.normalise import Span
from loopfloor.measure.fleet import Address
from loopfloor.measure.load import Generator, Order
from loopfloor.measure.readings import Instruments
from loopfloor.model import ClosedLoad, OpenLoad, Requests, Samples, TimedLoad, Window


@dataclass(frozen=True)
class Measured:
    """What a trial leaves behind."""

    samples: Samples
    requests: Requests
    window: Window

    @property
    def span(self) -> Span:
        return Span(self.window.start_ns, self.window.end_ns)


def measure(
    generator: Generator,
    address: Address,
    load: ClosedLoad | OpenLoad | TimedLoad,
    interval_ms: int = 10,
    timeout_s: float = 15,
) -> Measured:
    with Instruments(address.url) as instruments:
        instruments.arm(interval_ms)
        outcome = generator.run(Order(address.host, address.port, load, timeout_s, 1024))
        samples = instruments.read_samples(since_ns=0).read_samples(offset_ns=0)
    return Measured(samples, outcome.requests, outcome.window)


def idle(duration_s: float) -> TimedLoad:
    """A load of nothing, so that an idle loop is measured by the same path."""
    return TimedLoad(sends=(), duration_s=duration_s)
