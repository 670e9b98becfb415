"""Did the generator carry a load? Its reading of a server that answers after exactly a known delay."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loopfloor.judge.generator import late_sends
from loopfloor.judge.normalise import find_quantile, read_latency, tally_fates
from loopfloor.model import ClosedLoad, Fate, Load, OpenLoad, Requests
from loopfloor.units import NS_PER_S, ms_from_ns, s_from_ns

TOLERANCE = 0.05
LATENCY_P99_LIMIT = 1.2  # times the known delay


@dataclass(frozen=True)
class Carried:
    """One load against the known server: rates per s, times in ms. `held` says whether it can be trusted."""

    kind: str
    size: float  # connections of a closed loop, requests/s of an open one
    rate_per_s: float
    expected_per_s: float
    latency_p50_ms: float | None
    latency_p99_ms: float | None
    late_p99_ms: float | None
    held: bool


def judge_selftest(load: ClosedLoad | OpenLoad, requests: Requests, delay_ms: float) -> Carried:
    """A load holds where its rate is within 5 % of what arithmetic says and p99 within 20 % of the delay."""
    is_closed = isinstance(load, ClosedLoad)
    size = float(load.connections) if isinstance(load, ClosedLoad) else load.rate_per_s
    expected_per_s = size / (delay_ms / 1e3) if is_closed else size
    latency = read_latency(requests, requests.intended_ns)
    p50, p99 = (None, None) if latency is None else (latency.p50, latency.p99)
    rate_per_s = count_rate_per_s(requests, is_closed=is_closed)
    late_p99 = None if is_closed else find_quantile(np.sort(late_sends(requests)), 99)
    held = (
        tally_fates(requests).ok == len(requests)
        and abs(rate_per_s / expected_per_s - 1) <= TOLERANCE
        and p99 is not None
        and ms_from_ns(p99) <= LATENCY_P99_LIMIT * delay_ms
    )
    p50_ms, p99_ms, late_p99_ms = (None if value is None else ms_from_ns(value) for value in (p50, p99, late_p99))
    return Carried(load.kind, size, rate_per_s, expected_per_s, p50_ms, p99_ms, late_p99_ms, held)


def count_rate_per_s(requests: Requests, *, is_closed: bool) -> float:
    """Return answers per second of a closed loop, sends per second of an open one."""
    ok = requests.fate == Fate.OK
    if not ok.any():
        return 0.0
    if is_closed:  # from the first answer to the last send: then every user is at it
        first_ns, last_ns = int(requests.done_ns[ok].min()), int(requests.sent_ns[ok].max())
        between = (requests.done_ns[ok] > first_ns) & (requests.done_ns[ok] <= last_ns)
        return float(between.sum() / s_from_ns(max(1, last_ns - first_ns)))
    sent = np.sort(requests.sent_ns[ok])
    return float((len(sent) - 1) * NS_PER_S / max(1, sent[-1] - sent[0]))


@dataclass(frozen=True)
class CarriedLoads:
    """The smallest loads that the generator was seen not to carry; None where all that was tried held."""

    closed_limit: float | None = None
    open_limit_per_s: float | None = None

    def allows(self, load: Load) -> bool:
        """Whether a trial's load lies under what failed in the self-test of the same run."""
        if isinstance(load, ClosedLoad):
            return self.closed_limit is None or load.connections < self.closed_limit
        if isinstance(load, OpenLoad):
            return self.open_limit_per_s is None or load.rate_per_s < self.open_limit_per_s
        return True


def read_carried(results: Sequence[Carried]) -> CarriedLoads:
    """A load was carried where one of its attempts held: a machine may be disturbed once."""
    held = {(result.kind, result.size) for result in results if result.held}
    failed = [result for result in results if (result.kind, result.size) not in held]
    return CarriedLoads(
        min((result.size for result in failed if result.kind == "closed"), default=None),
        min((result.size for result in failed if result.kind == "open"), default=None),
    )
