"""The run folder: what was measured, appended as it comes and read back the same.

Owns the layout of `results/runs/<run-id>/`. Derives nothing. Every file and folder is handed to the
owner of the results folder as it is made.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from loopfloor.errors import UsageError
from loopfloor.model import SCHEMA_VERSION, Requests, Samples, TrialRecord, Window
from loopfloor.plan import Plan
from loopfloor.record import raw

RUNS = "runs"
LATEST = "latest"
MANIFEST = "manifest.json"
TRIALS = "trials.jsonl"
MOST_RUNS_A_SECOND = 100


class RunFolder:
    """One run. Written by a campaign, read by everything that derives."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.run_id = path.name

    def write_text(self, name: str, text: str) -> None:
        """Replace one file in one step, so that a reader never sees half of it."""
        self.write_bytes(name, text.encode("utf-8"))

    def write_bytes(self, name: str, content: bytes) -> None:
        target = self.path / name
        make_folders(target.parent)
        partial = target.with_name(f".{target.name}.partial")
        partial.write_bytes(content)
        hand_over(partial)
        partial.replace(target)

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        self.write_text(MANIFEST, json.dumps(manifest, indent=2) + "\n")

    def append_trial(self, record: TrialRecord) -> None:
        """Append one line, whole: a trial is on disk before the next one starts."""
        path = self.path / TRIALS
        with path.open("ab") as file:
            file.write(record.model_dump_json().encode("utf-8") + b"\n")
            file.flush()
            os.fsync(file.fileno())
        hand_over(path)

    def write_samples(self, trial_id: str, samples: Samples, window: Window) -> None:
        packed = raw.pack_table(raw.SAMPLES_HEADER, raw.format_samples(samples, window))
        self.write_bytes(f"raw/{trial_id}/samples.csv.gz", packed)

    def write_requests(self, trial_id: str, requests: Requests, window: Window) -> None:
        packed = raw.pack_table(raw.REQUESTS_HEADER, raw.format_requests(requests, window))
        self.write_bytes(f"raw/{trial_id}/requests.csv.gz", packed)

    def read_manifest(self) -> dict[str, Any]:
        """Raises UsageError for a folder that is not a run of this version."""
        try:
            manifest = json.loads((self.path / MANIFEST).read_bytes())
            version = manifest["schema_version"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            raise UsageError(f"{self.path} is not a run: it has no readable {MANIFEST}") from None
        if not isinstance(version, int) or version > SCHEMA_VERSION:
            raise UsageError(f"{self.path} has schema version {version!r}; this loopfloor reads up to {SCHEMA_VERSION}")
        return manifest  # type: ignore[no-any-return]

    def read_plan(self) -> Plan:
        try:
            return Plan.model_validate(self.read_manifest()["plan"])
        except (KeyError, ValidationError):
            raise UsageError(f"{self.path / MANIFEST} holds no valid plan") from None

    def read_trials(self) -> list[TrialRecord]:
        """Return the finished trials. A last line without its end was being written when the run died."""
        try:
            lines = (self.path / TRIALS).read_bytes().split(b"\n")[:-1]
        except FileNotFoundError:
            return []
        try:
            return [TrialRecord.model_validate_json(line) for line in lines]
        except ValidationError as error:
            raise UsageError(
                f"{self.path / TRIALS} holds a line that is not a trial: {error.errors()[0]['msg']}"
            ) from None

    def read_samples(self, trial_id: str, window: Window) -> Samples:
        return raw.parse_samples(self._read_table(trial_id, "samples", raw.SAMPLES_HEADER), window)

    def read_requests(self, trial_id: str, window: Window) -> Requests:
        return raw.parse_requests(self._read_table(trial_id, "requests", raw.REQUESTS_HEADER), window)

    def _read_table(self, trial_id: str, name: str, header: str) -> raw.Table:
        path = self.path / "raw" / trial_id / f"{name}.csv.gz"
        try:
            return raw.unpack_table(path.read_bytes(), header)
        except (OSError, ValueError) as error:
            raise UsageError(f"{path} cannot be read: {error}") from None


def make_folders(path: Path) -> None:
    """Make a folder and its parents, each handed over as it is made."""
    if not path.is_dir():
        make_folders(path.parent)
        path.mkdir(exist_ok=True)
        hand_over(path)


def hand_over(path: Path) -> None:
    """Give a new file to whoever owns the folder that it stands in."""
    owner, mine = path.parent.stat(), path.stat()
    if (owner.st_uid, owner.st_gid) != (mine.st_uid, mine.st_gid):
        with suppress(PermissionError):  # without the right to give it away, it stays ours
            os.chown(path, owner.st_uid, owner.st_gid)


def check_writable(results: Path) -> None:
    """Raises UsageError with the remedy where no run can be put."""
    try:
        make_folders(results / RUNS)
        probe = results / RUNS / f".writable-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise UsageError(
            f"{results} cannot be written ({error.strerror}): give --results a folder that can, or mend its mode"
        ) from error


def create_run(results: Path, plan_name: str) -> RunFolder:
    """Make a new run folder; an existing one is never written over. Raises UsageError."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    for attempt in range(1, MOST_RUNS_A_SECOND):
        path = results / RUNS / (f"{stamp}-{plan_name}" if attempt == 1 else f"{stamp}-{plan_name}-{attempt}")
        if not path.exists():
            make_folders(path)
            return RunFolder(path)
    raise UsageError(f"{results / RUNS} already holds {MOST_RUNS_A_SECOND} runs of this second")


def find_run(results: Path, name: str) -> RunFolder:
    """Return a run by its id, by its path, or the newest one as `latest`. Raises UsageError."""
    if name == LATEST:
        runs = sorted(list_runs(results))
        if not runs:
            raise UsageError(f"{results / RUNS} holds no run yet")
        return RunFolder(runs[-1])
    for path in (results / RUNS / name, results / "reference" / name, Path(name)):
        if path.is_dir():
            return RunFolder(path)
    raise UsageError(f"there is no run {name!r} in {results / RUNS}, and no such folder")


def list_runs(results: Path) -> Iterator[Path]:
    runs = results / RUNS
    return (path for path in runs.iterdir() if path.is_dir()) if runs.is_dir() else iter(())
