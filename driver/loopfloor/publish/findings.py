"""What doctor found, as a table on the terminal."""

from collections.abc import Sequence
from typing import Protocol

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

STYLES = {"ok": "green", "doubt": "yellow", "unfit": "red"}


class Finding(Protocol):
    """The fields of doctor's findings that are printed."""

    @property
    def subject(self) -> str: ...
    @property
    def value(self) -> str | float | None: ...
    @property
    def unit(self) -> str: ...
    @property
    def verdict(self) -> str: ...
    @property
    def remedy(self) -> str: ...


def print_findings(console: Console, findings: Sequence[Finding]) -> None:
    grid = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("", "subject", "value", "what to do"):
        grid.add_column(heading)
    for finding in findings:
        value = "unknown" if finding.value is None else f"{finding.value} {finding.unit}".strip()
        verdict = f"[{STYLES[finding.verdict]}]{finding.verdict}[/]"
        grid.add_row(verdict, finding.subject, value, finding.remedy)
    console.print(grid)
