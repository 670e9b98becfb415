"""Readings that cannot be those of the trial fail it: a target restarted, re-armed, or without a ruler."""

import numpy as np
import pytest

from loopfloor.errors import ReadingError
from loopfloor.measure.campaign.trial import check_reading
from loopfloor.measure.readings import SamplesAnswer
from loopfloor.model import Counters, Samples
from support.arrays import START_NS, make_samples
from support.records import WINDOW, make_record

TRIAL = make_record("r1-node-floor-idle-10ms").trial
BEFORE = Counters(now_ns=START_NS, thread_cpu_s=1, busy_s=1, gc_count=3, gc_s=0.1, ctx_switches=50)


def make_answer(**changes: object) -> SamplesAnswer:
    fields = BEFORE.model_dump() | {"now_ns": START_NS + 10**9, "thread_cpu_s": 2.0, "interval_ms": 10, "dropped": 0}
    return SamplesAnswer.model_validate(fields | {"native": None, "samples": []} | changes)


def starting(offset_ms: float) -> Samples:
    samples = make_samples([10] * 90)
    return Samples(samples.fired_at_ns + round(offset_ms * 1e6), samples.gap_ns)


def test_the_readings_of_one_process_pass() -> None:
    check_reading(TRIAL, BEFORE, make_answer(), starting(-5), WINDOW)


@pytest.mark.parametrize(
    ("answer", "samples", "said"),
    [
        (make_answer(interval_ms=20), starting(-5), "every 20 ms, not 10"),
        (make_answer(thread_cpu_s=0.2), starting(-5), "thread_cpu_s went down"),
        (make_answer(gc_count=0, busy_s=0), starting(-5), "busy_s, gc_count went down"),
        (make_answer(), Samples(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)), "wrote nothing down"),
        (make_answer(), starting(300), "begin after the trial did"),
    ],
)
def test_readings_of_two_processes_or_of_none_are_refused(answer: SamplesAnswer, samples: Samples, said: str) -> None:
    with pytest.raises(ReadingError, match=said):
        check_reading(TRIAL, BEFORE, answer, samples, WINDOW)


def test_a_ring_that_was_overwritten_is_a_doubt_and_no_fault() -> None:
    check_reading(TRIAL, BEFORE, make_answer(dropped=5), starting(300), WINDOW)
