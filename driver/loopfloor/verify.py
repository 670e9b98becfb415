"""Does what is published follow from what was measured? Derives a run again and names each figure that differs."""

import csv
import io
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from loopfloor.derive import derive_tables
from loopfloor.errors import UsageError
from loopfloor.model import TrialRecord
from loopfloor.publish.columns import KEYS
from loopfloor.publish.page import strip_pictures
from loopfloor.record import RunFolder
from loopfloor.report import PAGE, derive_files, derive_page, derive_pictures


def find_differences(run: RunFolder) -> Iterator[str]:
    """Yield a sentence per difference: raw files against their checksums, then every derived file against the raw.

    Raises UsageError where the folder is no run.
    """
    manifest = run.read_manifest()
    yield from compare_checksum(run, "trials.jsonl", manifest.trials_sha256)
    for record in run.read_trials():
        yield from compare_raw(run, record)
    for test in manifest.self_test:
        yield from compare_checksum(run, f"raw/{test.id}/requests.csv.gz", test.raw_sha256)
    try:
        tables = derive_tables(run)
        derived = derive_files(run, tables)
        derived[PAGE] = derive_page(run, tables, derive_pictures(run, tables), {})
    except (UsageError, ValueError, KeyError) as error:
        yield f"the figures cannot be derived again: {error}"
        return
    for name, text in derived.items():
        yield from compare_file(run.path / name, text)


def compare_raw(run: RunFolder, record: TrialRecord) -> Iterator[str]:
    for name, checksum in record.raw_sha256.items():
        yield from compare_checksum(run, f"raw/{record.trial.id}/{name}.csv.gz", checksum)


def compare_checksum(run: RunFolder, name: str, expected: str | None) -> Iterator[str]:
    """A run that was cut off has no checksum of its trials; everything else has one."""
    if expected is None:
        return
    try:
        found = sha256((run.path / name).read_bytes()).hexdigest()
    except OSError as error:
        yield f"{name}: cannot be read ({error.strerror})"
        return
    if found != expected:
        yield f"{name}: is not what was written (SHA-256 {found[:12]}…, recorded {expected[:12]}…)"


def compare_file(path: Path, derived: str) -> Iterator[str]:
    try:
        published = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        yield f"{path.name}: cannot be read ({error})"
        return
    if path.name == PAGE:
        published = strip_pictures(published)  # drawn by another program, whose next version may draw otherwise
    if published == derived:
        return
    if path.suffix == ".csv":
        differences = list(compare_cells(path.stem, published, derived))
        yield from differences or [f"{path.name}: differs in its form, not in a figure"]
    else:
        lines = zip(published.splitlines(), derived.splitlines(), strict=False)
        number = next((n for n, (one, other) in enumerate(lines, 1) if one != other), "its length")
        yield f"{path.name}: differs from what the raw files say, first in line {number}"


def compare_cells(table: str, published: str, derived: str) -> Iterator[str]:
    """Yield each cell that differs, by the key of its row and its column."""
    ours, theirs = (list(csv.DictReader(io.StringIO(text, newline=""))) for text in (derived, published))
    if len(ours) != len(theirs):
        yield f"{table}.csv: has {len(theirs)} rows, the raw files give {len(ours)}"
    for mine, row in zip(ours, theirs, strict=False):
        place = ", ".join(str(mine[name]) for name in KEYS[table])
        for column in (*mine, *(name for name in row if name not in mine)):
            if mine.get(column) != row.get(column):
                yield f"{table}.csv: {place}: {column} is {row.get(column)!r}, the raw files give {mine.get(column)!r}"
