"""Other people's published figures for the same scenarios, beside ours. Theirs are quoted, never judged.

Another machine, another runtime version, another harness: beside each other they show what is alike in kind.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from loopfloor.publish.cells import format_cell
from loopfloor.publish.printed import Medians, print_cell
from loopfloor.publish.sheets import Row

PUBLISHED = Path(__file__).with_name("published_figures.csv")
COLUMNS = {
    "rps": "answered_per_s",
    "busy": "busy",
    "slow_requests": "slow",
    "victims": "victims",
    "lag_p99": "excess_p99_ms",  # theirs is what a sleep took beyond its length
}
CASES = {"ten at once third blocks 300 ms": "block-300ms"}
WANTED: Mapping[str, Sequence[str]] = {
    "floor": ("gap_min_ms", "gap_mean_ms", "gap_p50_ms", "gap_p99_ms"),
    "pair": ("answered_per_s", "latency_mean_ms", "latency_p99_ms", "gap_mean_ms", "gap_p50_ms", "gap_p99_ms"),
    "ramp": ("latency_p99_ms", "gap_mean_ms", "gap_p99_ms"),
    "saturation": ("busy", "excess_p99_ms", "latency_p50_ms", "latency_p99_ms"),
}


@dataclass(frozen=True)
class Comparison:
    """One figure of somebody else, and ours by target."""

    source: str
    machine: str
    figure: str
    unit: str
    theirs: str
    ours: Mapping[str, str]


def compare_published(tables: Mapping[str, Sequence[Row]]) -> list[Comparison]:
    """Return the published figures that this run has a figure for."""
    medians = Medians(tables.get("medians", ()))
    return list(list_comparisons(medians))


def list_comparisons(medians: Medians) -> Iterator[Comparison]:
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            column = COLUMNS.get(row["metric"], f"{row['metric']}_ms")
            figure = f"{name_case(row['scenario'], row['case'])} {column}"
            found = {target: medians.find(row["scenario"], figure, target) for target in medians.targets}
            if any(cells.get("median") is not None for cells in found.values()):
                yield Comparison(
                    source=row["source"],
                    machine=row["machine"],
                    figure=f"{row['scenario']}: {row['case']}, {row['metric']}",
                    unit="%" if column == "busy" else row["unit"],
                    theirs=format_cell(float(row["value"]), column).lstrip("+"),
                    ours={target: print_cell(cells, column).text for target, cells in found.items()},
                )


def name_case(scenario: str, case: str) -> str:
    """Return our name of a published case."""
    if scenario == "floor":
        return f"idle-{case.removeprefix('resolution ')}ms"
    if scenario == "pair":
        return case.replace(" x ", "-x")
    if scenario == "ramp":
        return f"ramp {case}"
    if scenario == "saturation":
        return f"work-{case.removesuffix('/s')}-per-s"
    return CASES.get(case, case)
