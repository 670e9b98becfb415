"""Plans: what is built in, the order of work, and every fault at once."""

from pathlib import Path

import pytest

from loopfloor.errors import UsageError
from loopfloor.plan import load_plan, name_route


@pytest.mark.parametrize("name", ["smoke", "standard"])
def test_a_built_in_plan_is_whole(name: str) -> None:
    plan = load_plan(name)
    cases = [trial.case for trial in plan.order_trials() if trial.target == "node"]
    assert cases == [
        "idle-1ms", "idle-10ms", "idle-20ms", "traffic", "noop-x1", "noop-x50", "slow-x50", "block-x50",
        "hash-sync-x10", "hash-async-x10", "ramp",
    ]  # fmt: skip


def test_the_targets_rotate_by_round() -> None:
    plan = load_plan("smoke").model_copy(update={"rounds": 3})
    first_of_round = {trial.round: trial.target for trial in reversed(list(plan.order_trials()))}
    assert first_of_round == {1: "asyncio", 2: "uvloop", 3: "node"}


def test_trials_have_names_of_their_own_that_are_safe_as_folders() -> None:
    ids = [trial.id for trial in load_plan("standard").model_copy(update={"rounds": 2}).order_trials()]
    assert len(set(ids)) == len(ids) == 66
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
    text = (Path(load_plan.__code__.co_filename).parent / "plans/smoke.toml").read_text(encoding="utf-8")
    file.write_text(text.replace("intervals_ms = [1, 10, 20]", "intervals_ms = [1, 20]"))
    with pytest.raises(UsageError, match="has to hold interval_ms"):
        load_plan(str(file))
