"""Plans: what is built in, the order of work, and every fault at once."""

from pathlib import Path

import pytest

from loopfloor.errors import UsageError
from loopfloor.plan import BUILT_IN, load_plan
from loopfloor.plan.scenarios import name_route


@pytest.mark.parametrize("name", ["smoke", "standard"])
def test_a_built_in_plan_is_whole(name: str) -> None:
    plan = load_plan(name)
    cases = [trial.case for trial in plan.order_trials() if trial.target == "node"]
    assert cases == [
        "idle-1ms", "idle-10ms", "idle-20ms", "traffic", "block-5ms", "block-10ms", "block-20ms", "block-50ms",
        "block-100ms", "block-300ms", "noop-x1", "noop-x50", "slow-x50", "block-x50",
        "hash-sync-x10", "hash-async-x10", "ramp", "block-300ms", "work-100-per-s", "work-200-per-s", "work-250-per-s",
        "work-300-per-s", "work-350-per-s", "work-400-per-s", "work-450-per-s", "work-500-per-s", "without",
        "with-500ms", "light", "capacity", "open", "window", "now",
    ]  # fmt: skip


def test_the_targets_rotate_by_round() -> None:
    plan = load_plan("smoke").model_copy(update={"rounds": 3})
    first_of_round = {trial.round: trial.target for trial in reversed(list(plan.order_trials()))}
    assert first_of_round == {1: "asyncio", 2: "uvloop", 3: "node"}


def test_trials_have_names_of_their_own_that_are_safe_as_folders() -> None:
    ids = [trial.id for trial in load_plan("standard").model_copy(update={"rounds": 2}).order_trials()]
    assert len(set(ids)) == len(ids) == 198
    assert name_route("/work?cpu_ms=2&io_ms=10") == "work-cpu-ms-2-io-ms-10"


def test_targets_and_scenarios_narrow_a_plan_and_the_floor_stays() -> None:
    plan = load_plan("smoke", targets=["node"], scenarios=["ramp"], seed=9)
    assert {trial.scenario for trial in plan.order_trials()} == {"floor", "ramp"}
    assert (plan.targets, plan.seed) == (("node",), 9)


def test_every_fault_of_a_plan_is_named_at_once(tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(
        'name = "Bad Name"\nrounds = 0\ntargets = ["a", "a b"]\nwarm_up_s = "long"\nsurprise = 1\n'
        "[floor]\nintervals_ms = [0]\nidle_s = 1\ntraffic_s = -1\ntraffic_per_s = 1\n"
    )
    with pytest.raises(UsageError) as caught:
        load_plan(str(file), scenarios=["pear"])
    text = "\n".join(caught.value.findings)
    for place in (
        "name",
        "rounds",
        "targets.1",
        "warm_up_s",
        "surprise",
        "floor.intervals_ms.0",
        "floor.traffic_s",
        "pear",
    ):
        assert place in text, place


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"name = ", "is not TOML"),
        (b"\xff\xfe", "is not TOML"),
        (b"", "Field required"),
        (b'targets = ["a", "a"]', "Field required"),
    ],
)
def test_a_file_that_is_no_plan_is_refused_with_the_reason(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "plan.toml"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=said):
        load_plan(str(file))


def test_a_missing_plan_names_what_is_built_in() -> None:
    with pytest.raises(UsageError, match="smoke, standard"):
        load_plan("no-such-plan")


def test_the_loads_own_floor_has_to_be_measured(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    text = (BUILT_IN / "smoke.toml").read_text(encoding="utf-8")
    file.write_text(text.replace("intervals_ms = [1, 10, 20]", "intervals_ms = [1, 20]"))
    with pytest.raises(UsageError, match="has to hold interval_ms"):
        load_plan(str(file))


def test_two_trials_of_one_name_are_refused(tmp_path: Path) -> None:
    text = (BUILT_IN / "smoke.toml").read_text(encoding="utf-8")
    cell = '{ route = "/noop", connections = 1, duration_s = 1.5 },'
    file = tmp_path / "plan.toml"
    file.write_text(text.replace(cell, cell + cell).replace("[1, 10, 20]", "[1, 10, 10]"))
    with pytest.raises(UsageError) as caught:
        load_plan(str(file))
    assert "pair: the case noop-x1 stands there twice" in str(caught.value)
    assert "floor: the case idle-10ms stands there twice" in str(caught.value)


def test_a_fault_in_an_item_is_not_echoed_by_its_list(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    text = (BUILT_IN / "smoke.toml").read_text(encoding="utf-8")
    file.write_text(
        text[: text.index("[pair]")] + '[pair]\ncells = [{ route = "x", connections = 0, duration_s = 1 }]\n'
    )
    with pytest.raises(UsageError) as caught:
        load_plan(str(file))
    assert len(caught.value.findings) == 2


def test_six_rounds_hold_each_order_of_three_targets_once() -> None:
    plan = load_plan("publish")
    orders = [plan.order_targets(number) for number in range(1, 7)]
    assert len(set(orders)) == 6
    assert [order[0] for order in orders[:3]] == ["asyncio", "uvloop", "node"]


def test_a_repeat_measures_floor_pair_and_ramp_again_in_the_same_turn() -> None:
    plan = load_plan("publish").model_copy(update={"rounds": 1, "targets": ("node",)})
    trials = list(plan.order_trials())
    assert [trial.repeat for trial in trials] == [1] * 33 + [2] * 11
    assert {trial.scenario for trial in trials if trial.repeat == 2} == {"floor", "pair", "ramp"}


def test_a_budget_below_the_resolution_is_refused_with_the_reason(tmp_path: Path) -> None:
    file = tmp_path / "fine.toml"
    text = (BUILT_IN / "smoke.toml").read_text(encoding="utf-8")
    file.write_text(text.replace("warm_up_s", "budget_ms = 5\nwarm_up_s"), encoding="utf-8")
    with pytest.raises(UsageError, match="budget_ms: 5 ms is below the resolution: with interval_ms = 10"):
        load_plan(str(file))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("blocker = 3", "blocker = 11", "blocker: 11 is not one of 10 requests"),
        ("rates_per_s = [100, ", "rates_per_s = [100, 100, ", "the case work-100-per-s stands there twice"),
        ("block_ms = 500", "block_ms = 20000", "stall.block_ms"),
        ("light_per_s = 20", "light_per_s = 0", "shed.light_per_s"),
    ],
)
def test_faults_of_the_scenarios_are_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    file = tmp_path / "bad.toml"
    file.write_text((BUILT_IN / "smoke.toml").read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        load_plan(str(file))


def test_random_arrivals_are_the_same_on_every_target_of_a_round_and_others_in_the_next() -> None:
    trials = load_plan("standard").model_copy(update={"rounds": 2}).order_trials()
    seeds: dict[int, set[int]] = {1: set(), 2: set()}
    for trial in trials:
        if trial.scenario == "saturation":
            seeds[trial.round].add(trial.load.seed)  # type: ignore[union-attr]
    assert all(len(found) == 1 for found in seeds.values())
    assert seeds[1] != seeds[2]


def test_instances_are_opt_in_and_one_of_them_is_bad() -> None:
    assert not [trial for trial in load_plan("standard").order_trials() if trial.instance is not None]
    trials = [trial for trial in load_plan("instances", targets=["node"]).order_trials() if trial.instance is not None]
    assert [trial.process_name for trial in trials] == ["node", "node-2", "node-3"]
    assert [bool(trial.load.extra) for trial in trials] == [False, True, False]  # type: ignore[union-attr]
