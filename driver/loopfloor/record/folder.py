"""The run folder: what was measured, appended as it comes and read back the same.

Owns the layout of `results/runs/<run-id>/`. Derives nothing. Every file and folder is handed to the
owner of the results folder as it is made.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from loopfloor.errors import RecordError, UsageError
from loopfloor.model import SCHEMA_VERSION, Requests, Samples, TrialRecord, Window
from loopfloor.record import raw
from loopfloor.record.manifest import Manifest

RUNS = "runs"
REFERENCE = "reference"
COMPARED = "compared"
BY_AGE = ("latest", "previous")  # names for the newest runs
MANIFEST = "manifest.json"
TRIALS = "trials.jsonl"
MOST_RUNS_A_SECOND = 100


class Folder:
    """A folder under the results. Each file is written in one step and handed over."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write_text(self, name: str, text: str) -> None:
        """Replace one file in one step, so that a reader never sees half of it."""
        self.write_bytes(name, text.encode("utf-8"))

    def write_bytes(self, name: str, content: bytes) -> None:
        target = self.path / name
        partial = target.with_name(f".{target.name}.partial")
        with translate_faults(target):
            make_folders(target.parent)
            partial.write_bytes(content)
            hand_over(partial)
            partial.replace(target)

    def read_text(self, name: str) -> str | None:
        """Return what a file holds; None where it is not there. Raises UsageError where it cannot be read."""
        try:
            return (self.path / name).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{self.path / name} cannot be read: {error}") from None


class RunFolder(Folder):
    """One run. Written by a campaign, read by everything that derives."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.run_id = path.name

    def write_manifest(self, manifest: Manifest) -> None:
        self.write_text(MANIFEST, manifest.model_dump_json(indent=2) + "\n")

    def update_manifest(self, **changes: object) -> None:
        self.write_manifest(self.read_manifest().model_copy(update=changes))

    def append_trial(self, record: TrialRecord) -> None:
        """Append one line, whole: a trial is on disk before the next one starts."""
        path = self.path / TRIALS
        with translate_faults(path):
            with path.open("ab") as file:
                file.write(record.model_dump_json().encode("utf-8") + b"\n")
                file.flush()
                os.fsync(file.fileno())
            hand_over(path)

    def hash_trials(self) -> str | None:
        """Return the checksum of the finished trials' lines (SHA-256); they hold those of the raw files."""
        path = self.path / TRIALS
        return sha256(path.read_bytes()).hexdigest() if path.is_file() else None

    def write_samples(self, trial_id: str, samples: Samples, window: Window) -> str:
        """Return the checksum of what was written (SHA-256)."""
        packed = raw.pack_table(raw.SAMPLES_HEADER, raw.format_samples(samples, window))
        return self._write_raw(trial_id, "samples", packed)

    def write_requests(self, trial_id: str, requests: Requests, window: Window) -> str:
        packed = raw.pack_table(raw.REQUESTS_HEADER, raw.format_requests(requests, window))
        return self._write_raw(trial_id, "requests", packed)

    def _write_raw(self, trial_id: str, name: str, packed: bytes) -> str:
        self.write_bytes(raw_name(trial_id, name), packed)
        return sha256(packed).hexdigest()

    def read_manifest(self) -> Manifest:
        """Raises UsageError for a folder that is not a run of this version."""
        try:
            content = json.loads((self.path / MANIFEST).read_bytes())
            version = content["schema_version"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            raise UsageError(f"{self.path} is not a run: it has no readable {MANIFEST}") from None
        if not isinstance(version, int) or version > SCHEMA_VERSION:
            raise UsageError(f"{self.path} has schema version {version!r}; this loopfloor reads up to {SCHEMA_VERSION}")
        try:
            return Manifest.model_validate(content)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise UsageError(f"{self.path / MANIFEST} is not that of a run: {place}: {first['msg']}") from None

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
        return self._read_raw(trial_id, "samples", raw.SAMPLES_HEADER, window, raw.parse_samples)

    def read_requests(self, trial_id: str, window: Window) -> Requests:
        return self._read_raw(trial_id, "requests", raw.REQUESTS_HEADER, window, raw.parse_requests)

    def _read_raw[Rows](
        self, trial_id: str, name: str, header: str, window: Window, parse: Callable[[raw.Table, Window], Rows]
    ) -> Rows:
        path = self.path / raw_name(trial_id, name)
        try:
            return parse(raw.unpack_table(path.read_bytes(), header), window)
        except (OSError, ValueError, OverflowError) as error:
            raise UsageError(f"{path} cannot be read: {error}") from None


@contextmanager
def translate_faults(path: Path) -> Iterator[None]:
    """Turn what the disk says into one RecordError."""
    try:
        yield
    except OSError as error:
        raise RecordError(f"{path} cannot be written ({error.strerror}); what was written before stays") from error


def raw_name(trial_id: str, name: str) -> str:
    return f"raw/{trial_id}/{name}.csv.gz"


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
    """Return a run by its id, by its path, or as `latest` or `previous`. Raises UsageError."""
    if name in BY_AGE:
        runs = sorted(list_runs(results), reverse=True)
        if len(runs) <= BY_AGE.index(name):
            raise UsageError(f"{results / RUNS} holds {len(runs)} runs: there is no {name} one")
        return RunFolder(runs[BY_AGE.index(name)])
    for path in (results / RUNS / name, results / REFERENCE / name, Path(name)):
        if path.is_dir():
            return RunFolder(path)
    raise UsageError(f"there is no run {name!r} in {results / RUNS}, and no such folder")


def make_compared(results: Path, first: RunFolder, second: RunFolder) -> Folder:
    """Return the folder for the comparison of two runs; an earlier one of the same two is written over."""
    return Folder(results / COMPARED / f"{first.run_id}--{second.run_id}")


def list_runs(results: Path) -> Iterator[Path]:
    runs = results / RUNS
    return (path for path in runs.iterdir() if path.is_dir()) if runs.is_dir() else iter(())
