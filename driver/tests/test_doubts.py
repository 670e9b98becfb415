"""When a doubt is attached."""

import pytest

from loopfloor.judge.doubts import (
    DOUBTS,
    doubt_conditions,
    doubt_generator,
    doubt_requests,
    doubt_samples,
    join_doubts,
    judge_status,
)
from loopfloor.judge.generator import GeneratorFigures
from loopfloor.judge.normalise import GapFigures, LatencyFigures, Tally
from loopfloor.model import Usage
from loopfloor.units import NS_PER_MS
from support.records import make_record


def make_generator(
    late_p50_ms: float = 0.1, late_p99_ms: float = 0.2, busy: float = 0.2, achieved: float | None = 1.0
) -> GeneratorFigures:
    return GeneratorFigures(
        "send",
        late_p50_ms * NS_PER_MS,
        late_p99_ms * NS_PER_MS,
        None,
        busy,
        achieved,
        1,
        1,
        (achieved or 1) < 0.98,
        None,
    )


def make_latency(p50_ms: float | None, p99_ms: float | None, lower_bounds: tuple[str, ...] = ()) -> LatencyFigures:
    p50, p99 = (None if ms is None else ms * NS_PER_MS for ms in (p50_ms, p99_ms))
    return LatencyFigures(1000, p50, p50, p99, p99, p99, p99, lower_bounds)


@pytest.mark.parametrize(
    ("generator", "latency", "limited"),
    [
        (make_generator(), make_latency(0.3, 0.5), False),
        (make_generator(late_p99_ms=0.9), make_latency(0.3, 0.5), False),  # under what is ever claimed
        (make_generator(late_p99_ms=2), make_latency(0.3, 5), True),
        (make_generator(late_p99_ms=2), make_latency(10, 50), False),
        (make_generator(late_p50_ms=2, late_p99_ms=2), make_latency(10, 50), True),
        (make_generator(busy=0.95), make_latency(10, 50), True),
        (make_generator(achieved=0.9), make_latency(10, 50), True),
        (make_generator(achieved=None), make_latency(10, 50), False),
        (make_generator(late_p99_ms=2), make_latency(10, None), True),
    ],
)
def test_a_generator_that_spoiled_its_figures_is_named(
    generator: GeneratorFigures, latency: LatencyFigures, limited: bool
) -> None:
    doubts = list(doubt_generator(generator, latency, throttled_periods=0, carried=True))
    assert doubts == (["generator_limited"] if limited else [])


def test_a_throttled_generator_and_a_load_it_did_not_carry_are_named() -> None:
    for throttled, carried in ((3, True), (None, False)):
        doubts = doubt_generator(make_generator(), make_latency(10, 50), throttled, carried=carried)
        assert list(doubts) == ["generator_limited"]


def name_conditions(before: Usage, after: Usage, *, pool: bool = False, steal: float = 0) -> list[str]:
    record = make_record("r1-node-pair-noop-x1").model_copy(
        update={"usage_before": before, "usage_after": after, "steal_share": steal}
    )
    return list(doubt_conditions(record, pool_shares_core=pool))


def test_a_core_taken_by_others_is_named_unless_it_is_the_targets_own_pool() -> None:
    before, after = Usage(run_delay_s=1), Usage(run_delay_s=1.2)  # of one second
    assert name_conditions(before, after) == ["disturbed"]
    assert name_conditions(before, after, pool=True) == ["pool_shares_core"]
    assert name_conditions(before, before, steal=0.2) == ["disturbed"]
    assert name_conditions(before, before, steal=0.01) == []


def test_a_throttled_target_is_named_and_inadmissible() -> None:
    assert name_conditions(Usage(throttled_periods=4), Usage(throttled_periods=5)) == ["throttled"]
    assert name_conditions(Usage(throttled_periods=4), Usage(throttled_periods=4)) == []
    assert name_conditions(Usage(), Usage()) == []
    assert judge_status(["few_samples", "throttled"]) == "inadmissible"
    assert judge_status(["throttled", "failures"]) == "failures"
    assert judge_status(["generator_limited"]) == "ok"


def test_few_samples_lost_samples_and_a_stalled_loop_are_named() -> None:
    assert list(doubt_samples(GapFigures(99, 98, 1, 1, 1, 1, 1), dropped=0)) == ["few_samples"]
    assert list(doubt_samples(GapFigures(100, 99, 1, 1, 1, 1, 1), dropped=0)) == []
    assert list(doubt_samples(GapFigures(1, 0, 1, 1, 1, 1, 1), dropped=5)) == ["stalled", "few_samples", "samples_lost"]
    assert list(doubt_samples(None, dropped=None)) == ["few_samples"]


def test_failures_and_censored_figures_are_named() -> None:
    clean, broken = Tally(200, 200, 0, 0, 0, 0, 0), Tally(200, 198, 1, 0, 1, 0, 0)
    assert list(doubt_requests(clean, make_latency(1, 2))) == []
    assert list(doubt_requests(broken, make_latency(1, None, ("max",)))) == ["failures", "censored"]


def test_every_doubt_has_a_sentence_and_a_next_step() -> None:
    for doubt in DOUBTS.values():
        assert doubt.sentence.endswith(".")
        assert doubt.next_step.endswith(".")
    assert join_doubts(["failures", "few_samples", "failures"]) == "few_samples;failures"
