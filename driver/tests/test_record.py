"""The run folder: what is written is read back, and what is not a run is refused untouched."""

import os
from pathlib import Path

import numpy as np
import pytest

from loopfloor.errors import UsageError
from loopfloor.model import SCHEMA_VERSION, Fate, Trial, Window
from loopfloor.record import create_run, find_run
from support.arrays import START_NS, make_requests, make_samples
from support.records import make_record, make_run

WINDOW = Window(start_ns=START_NS, end_ns=START_NS + 10**9, drained_ns=START_NS + 10**9)


def test_samples_come_back_the_same(tmp_path: Path) -> None:
    run = create_run(tmp_path, "smoke")
    samples = make_samples([10.123456, 9.2, 1500.000001])
    run.write_samples("t", samples, WINDOW)
    back = run.read_samples("t", WINDOW)
    assert np.array_equal(back.fired_at_ns, samples.fired_at_ns)
    assert np.array_equal(back.gap_ns, samples.gap_ns)


def test_requests_come_back_to_the_us_with_their_fates(tmp_path: Path) -> None:
    rows = [
        (0.0, 0.05, 5.25, 200, Fate.OK),
        (5.0, 5.001, 6.0, 503, Fate.HTTP_ERROR),
        (10.0, 10.0, 15010.0, 0, Fate.TIMEOUT),
        (11.0, None, 15011.0, 0, Fate.TIMEOUT),
        (15.0, 15.0, 16.0, 0, Fate.CONN_ERROR),
        (20.0, None, None, 0, Fate.SKIPPED),
        (25.0, 25.0, None, 0, Fate.UNFINISHED),
    ]
    run, requests = create_run(tmp_path, "smoke"), make_requests(rows)
    run.write_requests("t", requests, WINDOW)
    back = run.read_requests("t", WINDOW)
    for name in ("intended_ns", "sent_ns", "done_ns", "status", "fate"):
        assert np.array_equal(getattr(back, name), getattr(requests, name)), name


def test_rounding_to_us_never_adds_up(tmp_path: Path) -> None:
    run = create_run(tmp_path, "smoke")
    requests = make_requests([(n / 3, n / 3 + 0.0004, n / 3 + 1.0006, 200, Fate.OK) for n in range(3000)])
    run.write_requests("t", requests, WINDOW)
    back = run.read_requests("t", WINDOW)
    for name in ("intended_ns", "sent_ns", "done_ns"):
        assert np.abs(getattr(back, name) - getattr(requests, name)).max() <= 500, name


def test_a_trial_is_a_line_and_a_line_cut_short_is_none(tmp_path: Path) -> None:
    run = make_run(tmp_path, [make_record("r1-a-floor-idle-10ms"), make_record("r1-a-pair-noop-x1")])
    file = run.path / "trials.jsonl"
    file.write_bytes(file.read_bytes()[:-30])
    assert [record.trial.id for record in run.read_trials()] == ["r1-a-floor-idle-10ms"]


def test_a_line_that_is_no_trial_is_refused(tmp_path: Path) -> None:
    run = make_run(tmp_path, [])
    (run.path / "trials.jsonl").write_text('{"trial": 1}\n')
    with pytest.raises(UsageError, match="not a trial"):
        run.read_trials()


@pytest.mark.parametrize("name", ["../../etc", "a/b", "", ".hidden", "a" * 151])
def test_a_trial_cannot_name_a_path(name: str) -> None:
    good = make_record("r1-a-floor-idle-10ms").trial.model_dump()
    with pytest.raises(ValueError, match="id"):
        Trial.model_validate(good | {"id": name})


def test_a_run_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    run = make_run(tmp_path, [])
    run.update_manifest(schema_version=SCHEMA_VERSION + 1)
    with pytest.raises(UsageError, match=f"schema version {SCHEMA_VERSION + 1}"):
        run.read_manifest()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'"x"', b"{}", b"[" * 100_000])
def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "runs" / "x"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_bytes(content)
    with pytest.raises(UsageError, match="is not a run"):
        find_run(tmp_path, "x").read_manifest()


def test_latest_is_the_newest_and_none_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds 0 runs"):
        find_run(tmp_path, "latest")
    first, second = create_run(tmp_path, "smoke"), create_run(tmp_path, "smoke")
    assert first.path != second.path
    assert find_run(tmp_path, "latest").path == second.path
    assert find_run(tmp_path, "previous").path == first.path
    with pytest.raises(UsageError, match="no run 'x'"):
        find_run(tmp_path, "x")


def test_a_raw_file_with_a_damage_is_named(tmp_path: Path) -> None:
    run = create_run(tmp_path, "smoke")
    run.write_samples("t", make_samples([10, 10]), WINDOW)
    path = run.path / "raw/t/samples.csv.gz"
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(UsageError, match=r"samples\.csv\.gz"):
        run.read_samples("t", WINDOW)


def test_files_belong_to_the_owner_of_the_results_folder(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(tmp_path, 1001, 1002)
    run = make_run(tmp_path, [make_record("r1-a-floor-idle-10ms")])
    run.write_samples("t", make_samples([10]), WINDOW)
    made = [tmp_path / "runs", *(tmp_path / "runs").rglob("*")]
    assert len(made) > 5
    assert {(path.stat().st_uid, path.stat().st_gid) for path in made} == {(1001, 1002)}
