"""What the figures of one row say about the loop: a code, one sentence, and the next step.

The rules are a table, tried from the top; the first that holds is the verdict. Thresholds are multiples of the
target's own measured floor, never absolute. A figure that is missing cannot make a rule hold, unless the rule says so.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields

LATE = 1.5
CLEARLY_LATE = 2.0
FAR = 3.0
VERY_FAR = 5.0
FLAT = 0.7  # a mean this near the p99: all gaps are alike
MOSTLY = 0.5
BUSY = 0.8
LONG_SPAN = 0.5  # of the floor: from here on one request's own work is visible to the ruler
IN_FRONT = 5.0

Value = str | int | float | None


@dataclass(frozen=True)
class Symptoms:
    """The cells that a verdict is made from, in ms and shares. None: unknown."""

    gap_p50_ms: float | None = None
    gap_mean_ms: float | None = None
    gap_p99_ms: float | None = None
    gap_max_ms: float | None = None
    floor_p50_ms: float | None = None
    floor_p99_ms: float | None = None
    late_share: float | None = None
    busy: float | None = None
    latency_p50_ms: float | None = None
    latency_p99_ms: float | None = None
    answered_per_s: float | None = None
    cost_ms: float | None = None  # what one request costs the loop
    siblings_gap_p99_ms: float | None = None  # median of the other instances under the same load
    loop: str | None = None  # of the load: open, closed or idle
    loop_state: str | None = None
    status: str | None = None
    doubts: str | None = None

    def has_doubt(self, code: str) -> bool:
        return code in (self.doubts or "").split(";")


@dataclass(frozen=True)
class Rule:
    """One line of the table, with an example that it must classify."""

    code: str
    holds: Callable[[Symptoms], bool]
    sentence: str  # a template over the symptoms
    next_step: str
    example: Symptoms


@dataclass(frozen=True)
class Verdict:
    """What is printed."""

    code: str
    sentence: str
    next_step: str


def reaches(value: float | None, times: float, base: float | None) -> bool:
    return value is not None and base is not None and value >= times * base


def within(value: float | None, times: float, base: float | None) -> bool:
    return value is not None and base is not None and value <= times * base


def waits_elsewhere(it: Symptoms) -> bool:
    """The latency is high, and the loop neither busy nor held for long enough to be the reason."""
    return (
        reaches(it.latency_p50_ms, VERY_FAR, it.floor_p50_ms)
        and reaches(it.latency_p50_ms, 1, it.gap_max_ms or it.gap_p99_ms)
        and within(it.gap_p50_ms, LATE, it.floor_p50_ms)
        and (it.late_share is None or it.late_share < MOSTLY)
        and (it.busy is None or it.busy < BUSY)
    )


def is_mostly_late(it: Symptoms) -> bool:
    """By time where that is known; else a latency whose tail is one gap says the same."""
    if it.late_share is not None:
        return it.late_share >= MOSTLY
    return within(it.latency_p99_ms, LATE, it.gap_p99_ms)


RULES = (
    Rule(
        "no_data",
        lambda it: it.status == "failed" or it.loop_state == "no_data" or it.gap_p99_ms is None,
        "There is nothing to judge: the trial failed, or the ruler wrote nothing down.",
        "trials.jsonl says why; mend that and run again.",
        Symptoms(status="failed"),
    ),
    Rule(
        "inadmissible",
        lambda it: it.status == "inadmissible" or it.has_doubt("generator_limited"),
        "The conditions spoiled this reading, so no verdict is drawn from it.",
        "The doubts say what spoiled it and what to do.",
        Symptoms(gap_p99_ms=10.2, status="inadmissible", doubts="throttled"),
    ),
    Rule(
        "one_instance",
        lambda it: reaches(it.gap_p99_ms, FAR, it.siblings_gap_p99_ms) and reaches(it.gap_p99_ms, FAR, it.floor_p50_ms),
        "This instance alone is late: gap p99 {gap_p99_ms} ms, where the others under the same load read "
        "{siblings_gap_p99_ms} ms.",
        "Inspect that instance: a hot key, a bad host.",
        Symptoms(gap_p99_ms=160, floor_p50_ms=10.3, siblings_gap_p99_ms=12),
    ),
    Rule(
        "waiting",
        lambda it: it.has_doubt("pool_shares_core"),
        "The work runs in a pool of threads that shares the loop's only core: {answered_per_s} answers/s are what that "
        "core gives, and gap p99 {gap_p99_ms} ms is competition for it, not a held loop.",
        "Give the target a second core before judging this route by its delay.",
        Symptoms(gap_p50_ms=10.4, gap_p99_ms=40, floor_p50_ms=10.3, floor_p99_ms=11, doubts="pool_shares_core"),
    ),
    Rule(
        "queued_in_front",
        lambda it: (
            reaches(it.gap_p99_ms, CLEARLY_LATE, it.floor_p50_ms)
            and reaches(it.latency_p99_ms, IN_FRONT, it.gap_max_ms or it.gap_p99_ms)
        ),
        "Requests queue in front of the loop: latency p99 {latency_p99_ms} ms, while its longest gap is "
        "{gap_max_ms} ms.",
        "Cut the arrival rate or add processes.",
        # node_event_loop_lag_guide, ramp, second 11
        Symptoms(gap_p99_ms=2560.62, floor_p50_ms=15.81, latency_p99_ms=37635.1),
    ),
    Rule(
        "never_drains",
        lambda it: (
            it.loop != "closed"
            and reaches(it.gap_mean_ms, FLAT, it.gap_p99_ms)
            and reaches(it.gap_mean_ms, VERY_FAR, it.floor_p50_ms)
        ),
        "The loop never comes to its end: its gaps are all alike (mean {gap_mean_ms}, p99 {gap_p99_ms} ms) and far "
        "above the floor of {floor_p50_ms} ms.",
        "Lower the load; past here the figures describe the queue.",
        # node_event_loop_lag_guide, ramp, second 7
        Symptoms(gap_mean_ms=800.33, gap_p99_ms=800.59, floor_p50_ms=15.81),
    ),
    Rule(
        "blocking_per_request",
        lambda it: (
            reaches(it.gap_p99_ms, FAR, it.floor_p50_ms)
            and is_mostly_late(it)
            and (it.busy is None or it.busy >= MOSTLY)
            and (it.cost_ms is None or reaches(it.cost_ms, LONG_SPAN, it.floor_p50_ms))
        ),
        "Each request holds the loop: gap p99 {gap_p99_ms} ms against a floor of {floor_p50_ms} ms, about {cost_ms} ms "
        "of it per request.",
        "Find the longest synchronous span in the handler.",
        # node_event_loop_lag_guide, pair, block x 50
        Symptoms(gap_p50_ms=15.74, gap_p99_ms=1470.1, floor_p50_ms=15.81, latency_p99_ms=1500, loop="closed"),
    ),
    Rule(
        "saturated",
        lambda it: it.busy is not None and it.busy > BUSY and reaches(it.gap_p99_ms, LATE, it.floor_p50_ms),
        "The loop is full: busy {busy}, gap p99 {gap_p99_ms} ms against a floor of {floor_p50_ms} ms.",
        "Shed load, add processes.",
        # asyncio_saturation_guide, 400/s: lag p99 148.8 ms over an interval of 10 ms
        Symptoms(gap_p99_ms=158.8, floor_p50_ms=10.3, busy=0.88, latency_p50_ms=15.6, latency_p99_ms=320.9),
    ),
    Rule(
        "waiting",
        waits_elsewhere,
        "The loop is at its floor (gap p99 {gap_p99_ms} ms, floor {floor_p99_ms} ms) while half of the requests take "
        "{latency_p50_ms} ms or more.",
        "Look downstream; the handler is not holding the loop.",
        # node_event_loop_lag_guide, pair, slow x 50 (a mean, of requests that all wait 300 ms)
        Symptoms(gap_p50_ms=15.81, gap_p99_ms=27.92, floor_p50_ms=15.81, floor_p99_ms=27.92, latency_p50_ms=312.14),
    ),
    Rule(
        "rare_stall",
        lambda it: within(it.gap_p50_ms, LATE, it.floor_p50_ms) and reaches(it.gap_max_ms, VERY_FAR, it.floor_p50_ms),
        "The loop is mostly at its floor (gap p50 {gap_p50_ms} ms), but once it was held for {gap_max_ms} ms.",
        "Count how often that happens, and find the blocking call.",
        # one_lane_course, one stall in 1.2 s at 20 ms: 1 of 44 samples over 100 ms
        Symptoms(gap_p50_ms=20.6, gap_p99_ms=330, gap_max_ms=330, floor_p50_ms=20.5, floor_p99_ms=21.5, busy=0.25),
    ),
    Rule(
        "healthy",
        lambda _: True,
        "Nothing stands out: gap p99 {gap_p99_ms} ms against a floor of {floor_p99_ms} ms.",
        "Nothing to do.",
        # asyncio_saturation_guide, 100/s: lag p99 5.1 ms over an interval of 10 ms
        Symptoms(gap_p99_ms=15.1, floor_p50_ms=10.3, busy=0.21, latency_p50_ms=14.0, latency_p99_ms=21.3),
    ),
)


def judge(symptoms: Symptoms) -> Verdict:
    rule = next(rule for rule in RULES if rule.holds(symptoms))
    words = {name: word(value) for name, value in asdict(symptoms).items()}
    return Verdict(rule.code, rule.sentence.format(**words), rule.next_step)


def word(value: Value) -> str:
    """Return a figure as a sentence has it: about three digits."""
    if value is None:
        return "unknown"
    if not isinstance(value, float):
        return str(value)
    return f"{value:.2f}" if abs(value) < 20 else f"{value:.0f}"


def read_symptoms(row: Mapping[str, Value], **further: Value) -> Symptoms:
    """Return the symptoms that stand in a row of any table; `further` ones take precedence."""
    cells = {**row, **further}
    return Symptoms(**{field.name: cells.get(field.name) for field in fields(Symptoms)})  # type: ignore[arg-type]
