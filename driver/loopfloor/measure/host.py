"""What machine this is: read once per run for the manifest. Unknown is None."""

import os
import platform
import time
from pathlib import Path
from typing import Any

from dulwich import porcelain
from dulwich.errors import NotGitRepository
from dulwich.repo import Repo

CLOCK_MONOTONIC_COARSE = 6  # Linux; the time module has no name for it
CGROUP = Path("/sys/fs/cgroup")
CPU = Path("/sys/devices/system/cpu")
CLOCK_SOURCE = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")


def describe_host() -> dict[str, Any]:
    """Return what a reader needs to know to compare two runs' machines."""
    return {
        "cpu_model": read_cpu_model(),
        "cores": os.cpu_count(),
        "architecture": platform.machine(),
        "kernel": platform.release(),
        "virtualisation": read_virtualisation(),
        "cgroup_version": 2 if (CGROUP / "cgroup.controllers").exists() else 1,
        "governor": read_text(CPU / "cpu0/cpufreq/scaling_governor"),
        "clock_source": read_text(CLOCK_SOURCE),
        "coarse_clock_ms": time.clock_getres(CLOCK_MONOTONIC_COARSE) * 1e3,
        "timer_slack_ns": read_int(Path("/proc/self/timerslack_ns")),
    }


def read_cpu_model() -> str | None:
    for line in (read_text(Path("/proc/cpuinfo")) or "").splitlines():
        if line.startswith(("model name", "Model")):
            return line.partition(":")[2].strip()
    return None


def read_virtualisation() -> str | None:
    """Return the product name of a virtual machine, "unnamed" where only the CPU flag gives it away, else "none"."""
    flags = read_text(Path("/proc/cpuinfo")) or ""
    if " hypervisor" not in flags:
        return "none" if "flags" in flags else None
    return read_text(Path("/sys/class/dmi/id/product_name")) or "unnamed"


def describe_revision(tree: Path) -> dict[str, Any]:
    """Return the git revision of the source tree and whether it differs from it; None with a reason where unknown."""
    try:
        with Repo(str(tree)) as repository:
            status = porcelain.status(repository, untracked_files="no")
            return {
                "revision": repository.head().decode("ascii"),
                "dirty": any(status.staged.values()) or bool(status.unstaged),
                "reason": None,
            }
    except (NotGitRepository, OSError, KeyError, ValueError) as error:
        return {"revision": None, "dirty": None, "reason": f"no readable git repository beside the source: {error}"}


def read_cpu_quota() -> float | None:
    """Return this process's own CPU quota in cores, or None where there is none (cgroup v2, then v1)."""
    if unified := read_text(CGROUP / "cpu.max"):
        quota, _, period = unified.partition(" ")
        return None if quota == "max" else int(quota) / int(period)
    quota_us, period_us = (read_int(CGROUP / "cpu" / f"cpu.cfs_{what}_us") for what in ("quota", "period"))
    return quota_us / period_us if quota_us and period_us and quota_us > 0 else None


def read_cpu_ticks() -> tuple[int, int] | None:
    """Return (ticks stolen by the host of this virtual machine, all ticks) since boot."""
    text = read_text(Path("/proc/stat"))
    if not text:
        return None
    ticks = [int(field) for field in text.splitlines()[0].split()[1:9]]
    return ticks[7], sum(ticks)


def read_steal_share(before: tuple[int, int] | None, after: tuple[int, int] | None) -> float | None:
    if before is None or after is None or after[1] <= before[1]:
        return None
    return (after[0] - before[0]) / (after[1] - before[1])


def read_throttled_periods() -> int | None:
    """Return the quota periods in which this process's own container was held up (cgroup v2, then v1)."""
    text = read_text(CGROUP / "cpu.stat") or read_text(CGROUP / "cpu" / "cpu.stat") or ""
    fields = dict(line.split(maxsplit=1) for line in text.splitlines())
    return int(fields["nr_throttled"]) if "nr_throttled" in fields else None


def read_text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return None


def read_int(path: Path) -> int | None:
    text = read_text(path)
    return int(text) if text else None
