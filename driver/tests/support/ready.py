"""Wait until a target answers."""

import time

from loopfloor.measure.fleet import Address, Stage
from loopfloor.measure.readings import Instruments


def await_ready(stage: Stage, target: str, address: Address, within_s: float = 20) -> None:
    deadline = time.monotonic() + within_s
    with Instruments(address.url) as instruments:
        while not instruments.is_healthy():
            assert stage.explain_exit(target) is None
            assert time.monotonic() < deadline, f"{target} did not become ready"
            time.sleep(0.05)
