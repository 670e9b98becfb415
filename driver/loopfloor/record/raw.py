"""The form of the raw files: text to arrays and back, without loss beyond what the header says.

Times are differences, in ns for samples and µs for requests: about four bytes a request once packed,
where absolute times take fifteen.
"""

import gzip
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from loopfloor.model import Fate, Int64s, Requests, Samples, Window
from loopfloor.units import NS_PER_US

SAMPLES_HEADER = "fired_after_ns,gap_ns"
REQUESTS_HEADER = "intended_after_us,late_us,service_us,status,fate,route"

Table = list[Sequence[str]]  # by column


def pack_table(header: str, rows: Sequence[str]) -> bytes:
    """Return a packed CSV file; the same rows give the same bytes."""
    return gzip.compress("\n".join([header, *rows, ""]).encode("ascii"), 6, mtime=0)


def unpack_table(content: bytes, header: str) -> Table:
    """Return the columns of a packed CSV file. Raises ValueError where it is not what its header says."""
    try:
        lines = gzip.decompress(content).decode("ascii").splitlines()
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(str(error)) from None
    if not lines or lines[0] != header:
        raise ValueError(f"it does not start with {header!r}")
    rows = [line.split(",") for line in lines[1:]]
    columns = header.count(",") + 1
    if any(len(row) != columns for row in rows):
        raise ValueError(f"it holds a row without its {columns} columns")
    return list(zip(*rows, strict=True)) if rows else [()] * columns


def format_samples(samples: Samples, window: Window) -> list[str]:
    """Return a row per firing: ns since the firing before it (the first: since the window's start), and its gap."""
    fired_after_ns = np.diff(samples.fired_at_ns, prepend=window.start_ns)
    return [f"{after},{gap}" for after, gap in zip(fired_after_ns.tolist(), samples.gap_ns.tolist(), strict=True)]


def parse_samples(table: Table, window: Window) -> Samples:
    fired_at_ns = window.start_ns + np.cumsum(parse_column(table, 0))
    return Samples(fired_at_ns=fired_at_ns, gap_ns=parse_column(table, 1))


def format_requests(requests: Requests, window: Window) -> list[str]:
    """Return a row per request: µs since the intended send before it, µs late, µs from the send to the end.

    Rounded on the absolute axis and then differenced, so that no error adds up. Blank: it never happened; where
    there was no send, the end is counted from the intended one.
    """
    sent, done = requests.sent_ns > 0, requests.done_ns > 0
    intended_us = round_us(requests.intended_ns - window.start_ns)
    begun_us = np.where(sent, round_us(requests.sent_ns - window.start_ns), intended_us)
    names = [fate.name.lower() for fate in Fate]
    columns = (
        np.diff(intended_us, prepend=0).tolist(),
        blank_unless(sent, begun_us - intended_us),
        blank_unless(done, round_us(requests.done_ns - window.start_ns) - begun_us),
        blank_unless(requests.status > 0, requests.status),
        [names[fate] for fate in requests.fate.tolist()],
        requests.route.tolist(),
    )
    return [",".join(map(str, row)) for row in zip(*columns, strict=True)]


def blank_unless(known: NDArray[np.bool_], values: NDArray[np.signedinteger]) -> list[int | str]:
    return [value if is_known else "" for is_known, value in zip(known.tolist(), values.tolist(), strict=True)]


def parse_requests(table: Table, window: Window) -> Requests:
    """Raises ValueError where a cell is not what its column holds."""
    codes = {fate.name.lower(): fate.value for fate in Fate}
    if unknown := set(table[4]) - codes.keys():
        raise ValueError(f"it holds the unknown fate {min(unknown)!r}")
    intended_us = np.cumsum(parse_column(table, 0))
    sent, done = (np.array([text != "" for text in table[index]], dtype=bool) for index in (1, 2))
    begun_us = intended_us + parse_column(table, 1)
    done_us = begun_us + parse_column(table, 2)
    return Requests(
        intended_ns=window.start_ns + intended_us * NS_PER_US,
        sent_ns=np.where(sent, window.start_ns + begun_us * NS_PER_US, 0),
        done_ns=np.where(done, window.start_ns + done_us * NS_PER_US, 0),
        status=parse_column(table, 3).astype(np.int16),
        fate=np.array([codes[name] for name in table[4]], dtype=np.int8),
        route=parse_column(table, 5).astype(np.int8),
    )


def round_us(times_ns: Int64s) -> Int64s:
    return (times_ns + NS_PER_US // 2) // NS_PER_US


def parse_column(table: Table, index: int) -> Int64s:
    return np.array([int(text) if text else 0 for text in table[index]], dtype=np.int64)
