"""A plan of a few seconds, as a file."""

from pathlib import Path

TINY = """
name = "tiny"
rounds = 1
targets = [{targets}]
interval_ms = 10
warm_up_s = 0.2
timeout_s = {timeout_s}
ready_within_s = {ready_within_s}

[floor]
intervals_ms = [10]
idle_s = 0.5
traffic_s = 0.5
traffic_per_s = 100

[pair]
cells = [
  {{ route = "/noop", connections = 1, duration_s = 0.5 }},
  {{ route = "/block", connections = 4, duration_s = {block_s} }},
]

[ramp]
rate_per_s = 50
duration_s = 2
"""


def write_plan(
    folder: Path, *targets: str, block_s: float = 1, timeout_s: float = 5, ready_within_s: float = 20
) -> Path:
    names = ", ".join(f'"{target}"' for target in targets)
    path = folder / "tiny.toml"
    path.write_text(
        TINY.format(targets=names, block_s=block_s, timeout_s=timeout_s, ready_within_s=ready_within_s),
        encoding="utf-8",
    )
    return path
