"""The form of the raw files: text to arrays and back, without loss beyond what the header says.

Times are differences, in ns for samples and µs for requests: about four bytes a request once packed,
where absolute times take fifteen.
"""

import gzip
from collections.abc import Sequence

import numpy as np

from loopfloor.model import Fate, Int64s, Requests, Samples, Window
from loopfloor.units import NS_PER_US

SAMPLES_HEADER = "fired_after_ns,gap_ns"
REQUESTS_HEADER = "intended_after_us,late_us,service_us,status,fate"

Table = list[Sequence[str]]  # by column


def pack_table(header: str, rows: Sequence[str]) -> bytes:
    """Return a packed CSV file; the same rows give the same bytes."""
    return gzip.compress("\n".join([header, *rows, ""]).encode("ascii"), 6, mtime=0)


def unpack_table(content: bytes, header: str) -> Table:
    """Return the columns of a packed CSV file. Raises ValueError where it is not what its header says."""
    try:
        lines = gzip.decompress(content).decode("ascii").splitlines()
    except (OSError, EOFError) as error:
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
    """Return a row per request: µs since the intended send before it, µs late, µs from send to end.

    Rounded on the absolute axis and then differenced, so that no error adds up. Blank: it never happened.
    """
    intended_us = round_us(requests.intended_ns - window.start_ns)
    late_us = round_us(requests.sent_ns - window.start_ns) - intended_us
    service_us = round_us(requests.done_ns - window.start_ns) - intended_us - late_us
    names = [fate.name.lower() for fate in Fate]
    columns = (
        np.diff(intended_us, prepend=0).tolist(),
        late_us.tolist(),
        service_us.tolist(),
        requests.status.tolist(),
        requests.fate.tolist(),
        (requests.sent_ns > 0).tolist(),
        (requests.done_ns > 0).tolist(),
        (round_us(requests.done_ns - window.start_ns) - intended_us).tolist(),
    )
    return [
        f"{after},{late},{service},{status or ''},{names[fate]}"
        if sent
        else f"{after},,{age if done else ''},,{names[fate]}"
        for after, late, service, status, fate, sent, done, age in zip(*columns, strict=True)
    ]


def parse_requests(table: Table, window: Window) -> Requests:
    codes = {fate.name.lower(): fate.value for fate in Fate}
    intended_us = np.cumsum(parse_column(table, 0))
    sent = np.array([text != "" for text in table[1]], dtype=bool)
    done = np.array([text != "" for text in table[2]], dtype=bool)
    sent_us = intended_us + parse_column(table, 1)
    done_us = np.where(sent, sent_us, intended_us) + parse_column(table, 2)
    return Requests(
        intended_ns=window.start_ns + intended_us * NS_PER_US,
        sent_ns=np.where(sent, window.start_ns + sent_us * NS_PER_US, 0),
        done_ns=np.where(done, window.start_ns + done_us * NS_PER_US, 0),
        status=parse_column(table, 3).astype(np.int16),
        fate=np.array([codes[name] for name in table[4]], dtype=np.int8),
    )


def round_us(times_ns: Int64s) -> Int64s:
    return (times_ns + NS_PER_US // 2) // NS_PER_US


def parse_column(table: Table, index: int) -> Int64s:
    return np.array([int(text) if text else 0 for text in table[index]], dtype=np.int64)
