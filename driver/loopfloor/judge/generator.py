"""How far the generator itself can be trusted in one trial: its lateness, its busy share, its sends."""

from dataclasses import dataclass

import numpy as np

from loopfloor.judge.normalise import find_quantile
from loopfloor.model import Fate, GeneratorReading, Int64s, OpenLoad, Requests, TimedLoad, TrialRecord, Window

ACHIEVED_LIMIT = 0.98


@dataclass(frozen=True)
class GeneratorFigures:
    """Lateness in ns: of the sends in an open loop, of a 10 ms timer in the generator's loop in a closed one."""

    late_of: str
    late_p50: float | None
    late_p99: float | None
    late_max: float | None
    busy: float
    achieved_share: float | None  # of the scheduled sends: how many went out before the window closed
    connections_opened: int
    in_flight_max: int
    fell_behind: bool
    send_interval_deviation: float | None  # ns; of the times between sends, from what was intended


def read_generator(record: TrialRecord, requests: Requests) -> GeneratorFigures | None:
    """None for a trial without load."""
    reading, window = record.generator, record.window
    if reading is None or window is None:
        return None
    is_open = isinstance(record.trial.load, OpenLoad | TimedLoad)
    late = np.sort(late_sends(requests) if is_open else np.array(reading.timer_late_ns, dtype=np.int64))
    return GeneratorFigures(
        late_of="send" if is_open else "timer",
        late_p50=find_quantile(late, 50),
        late_p99=find_quantile(late, 99),
        late_max=find_quantile(late, 100),
        busy=read_busy_share(reading),
        achieved_share=achieved_share(requests, window) if is_open else None,
        connections_opened=reading.connections_opened,
        in_flight_max=reading.in_flight_max,
        fell_behind=is_open and fell_behind(requests, window),
        send_interval_deviation=deviate(requests) if is_open else None,
    )


def late_sends(requests: Requests) -> Int64s:
    sent = requests.sent_ns > 0
    return requests.sent_ns[sent] - requests.intended_ns[sent]


def deviate(requests: Requests) -> float | None:
    """Return the standard deviation of (time between two sends − time between the two intended sends)."""
    late = late_sends(requests)
    return float(np.diff(late).std()) if len(late) > 2 else None


def achieved_share(requests: Requests, window: Window) -> float | None:
    """Return how many of the scheduled sends went out before the window closed. What was skipped did not."""
    if len(requests) == 0:
        return None
    return float(((requests.sent_ns > 0) & (requests.sent_ns <= window.end_ns)).mean())


def fell_behind(requests: Requests, window: Window) -> bool:
    """Whether the generator itself did not get its sends out: a skip at the in-flight cap is the target's doing."""
    wanted = requests.fate != Fate.SKIPPED
    if not wanted.any():
        return False
    in_time = wanted & (requests.sent_ns > 0) & (requests.sent_ns <= window.end_ns)
    return bool(in_time.sum() < ACHIEVED_LIMIT * wanted.sum())


def read_busy_share(reading: GeneratorReading) -> float:
    return reading.cpu_s / reading.wall_s
