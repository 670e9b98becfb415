"""Whatever is changed afterwards, in a figure or in a raw file, is found and named."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from loopfloor.record import RunFolder
from loopfloor.report import publish
from loopfloor.verify import find_differences
from support.arrays import make_answered, make_samples
from support.command import loopfloor
from support.records import WINDOW, make_record, make_run

TRIALS = ("r1-node-floor-idle-10ms", "r1-node-floor-idle-20ms")


@pytest.fixture
def run(tmp_path: Path) -> Iterator[RunFolder]:
    run = make_run(tmp_path, [])
    for number, trial_id in enumerate(TRIALS):
        checksum = run.write_samples(trial_id, make_samples([10.2 + number] * 97), WINDOW)
        run.append_trial(make_record(trial_id).model_copy(update={"raw_sha256": {"samples": checksum}}))
    run.update_manifest(trials_sha256=run.hash_trials())
    publish(run)
    return run


def test_an_untouched_run_has_no_differences(run: RunFolder) -> None:
    assert list(find_differences(run)) == []


def list_digits(path: Path) -> list[int]:
    text = path.read_text(encoding="utf-8")
    return [index for index, letter in enumerate(text) if letter.isdigit() and index > text.index("\n")]


def test_each_digit_of_a_table_matters_and_its_cell_is_named(run: RunFolder) -> None:
    path = run.path / "floor.csv"
    original = path.read_text(encoding="utf-8")
    for index in list_digits(path):
        digit = "1" if original[index] != "1" else "2"
        path.write_text(original[:index] + digit + original[index + 1 :], encoding="utf-8")
        assert list(find_differences(run)), original[index - 20 : index + 1]
    index = original.index("10.2,") + 3
    path.write_text(original[:index] + "7" + original[index + 1 :], encoding="utf-8")
    (difference, *_) = find_differences(run)
    assert "floor.csv" in difference
    assert "r1-node-floor-idle-10ms" in difference
    assert "is '10.7', the raw files give '10.2'" in difference


def test_each_byte_of_a_raw_file_matters(run: RunFolder) -> None:
    path = run.path / "raw" / TRIALS[0] / "samples.csv.gz"
    original = path.read_bytes()
    for index in range(0, len(original), 7):
        path.write_bytes(original[:index] + bytes([original[index] ^ 1]) + original[index + 1 :])
        differences = list(find_differences(run))
        assert any(f"raw/{TRIALS[0]}/samples.csv.gz" in difference for difference in differences), index


@pytest.mark.parametrize("name", ["floor.csv", "summary.md", f"raw/{TRIALS[1]}/samples.csv.gz"])
def test_a_file_that_is_gone_is_named(run: RunFolder, name: str) -> None:
    (run.path / name).unlink()
    assert any(name in difference for difference in find_differences(run))


def test_a_row_that_is_gone_or_a_trial_that_was_edited_is_named(run: RunFolder) -> None:
    path = run.path / "floor.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    assert any("has 1 rows, the raw files give 2" in difference for difference in find_differences(run))
    trials = run.path / "trials.jsonl"
    trials.write_text(trials.read_text().replace('"thread_cpu_s":1.5', '"thread_cpu_s":1.4'))
    assert any(difference.startswith("trials.jsonl") for difference in find_differences(run))


def test_the_command_says_5_and_the_place_or_that_all_follows(run: RunFolder, tmp_path: Path) -> None:
    done = loopfloor("verify", "latest", "--results", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "every figure follows" in done.stdout
    path = run.path / "summary.md"
    path.write_text(path.read_text().replace("10.20", "10.30", 1))
    done = loopfloor("verify", "latest", "--results", str(tmp_path))
    assert done.returncode == 5
    assert "summary.md" in done.stderr


@pytest.mark.parametrize("command", ["verify", "report"])
@pytest.mark.parametrize("content", [None, b"", b"{", b'{"schema_version": 99}', b'{"schema_version": 1}'])
def test_what_is_no_run_is_2_in_one_line_and_stays_untouched(
    tmp_path: Path, command: str, content: bytes | None
) -> None:
    folder = tmp_path / "runs" / "x"
    if content is not None:
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_bytes(content)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    done = loopfloor(command, "x", "--results", str(tmp_path))
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert sorted(path.name for path in tmp_path.rglob("*")) == before
    if content is not None:
        assert (folder / "manifest.json").read_bytes() == content


def test_requests_are_covered_too(tmp_path: Path) -> None:
    run = make_run(tmp_path, [])
    checksum = run.write_requests("t", make_answered([1, 2, 3]), WINDOW)
    path = run.path / "raw/t/requests.csv.gz"
    assert len(checksum) == 64
    content = path.read_bytes()
    path.write_bytes(content[:20] + bytes([content[20] ^ 1]) + content[21:])
    record = make_record("r1-node-floor-idle-10ms")
    run.append_trial(
        record.model_copy(
            update={"trial": record.trial.model_copy(update={"id": "t"}), "raw_sha256": {"requests": checksum}}
        )
    )
    assert any("raw/t/requests.csv.gz" in difference for difference in find_differences(run))
