"""What goes to the generator and what comes back."""

from dataclasses import dataclass

from loopfloor.model import ClosedLoad, GeneratorReading, OpenLoad, Requests, TimedLoad, Window


@dataclass(frozen=True)
class Order:
    """One load run against one address. The host is an address already: no name is resolved under load."""

    host: str
    port: int
    load: ClosedLoad | OpenLoad | TimedLoad
    timeout_s: float
    max_in_flight: int


@dataclass(frozen=True)
class Outcome:
    """Every request with its fate, the span, and the generator's reading of itself."""

    requests: Requests
    window: Window
    generator: GeneratorReading
