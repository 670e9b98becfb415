"""The container as it looks from inside: its limits, and what this process has used. Null where unknown."""

import resource
from pathlib import Path
from typing import Any

CGROUP = Path("/sys/fs/cgroup")
STATUS = Path("/proc/self/status")
SCHEDSTAT = Path("/proc/self/schedstat")
UNLIMITED_BYTES = 1 << 60  # cgroup v1 writes "no limit" as a huge number


def read_limits() -> dict[str, Any]:
    return {
        "cpus_allowed": read_status_field("Cpus_allowed_list"),
        "cpu_quota": read_cpu_quota(),
        "memory_limit_bytes": read_memory_limit_bytes(),
    }


def read_status_field(name: str) -> str | None:
    for line in (read_text(STATUS) or "").splitlines():
        if line.startswith(f"{name}:"):
            return line.partition(":")[2].strip()
    return None


def read_cpu_quota() -> float | None:
    """Return the quota in cores, or null where there is none (cgroup v2 first, then v1)."""
    if unified := read_text(CGROUP / "cpu.max"):
        quota, _, period = unified.partition(" ")
        return None if quota == "max" else int(quota) / int(period)
    quota_us, period_us = (read_text(CGROUP / "cpu" / f"cpu.cfs_{what}_us") for what in ("quota", "period"))
    if not quota_us or not period_us or int(quota_us) <= 0:
        return None
    return int(quota_us) / int(period_us)


def read_memory_limit_bytes() -> int | None:
    text = read_text(CGROUP / "memory.max") or read_text(CGROUP / "memory" / "memory.limit_in_bytes")
    if not text or text == "max" or int(text) >= UNLIMITED_BYTES:
        return None
    return int(text)


def read_usage() -> dict[str, Any]:
    """Return what has been used since the start; the throttling is the container's, the rest this process's."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    peak = read_status_field("VmHWM")
    throttled_periods, throttled_s = read_throttling()
    return {
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "memory_peak_bytes": int(peak.split()[0]) * 1024 if peak else None,
        "throttled_periods": throttled_periods,
        "throttled_s": throttled_s,
        "run_delay_s": read_run_delay_s(),
    }


def read_run_delay_s() -> float | None:
    """Return for how long the loop's thread was ready to run and another process had its core."""
    text = read_text(SCHEDSTAT)
    return int(text.split()[1]) / 1e9 if text else None


def read_throttling() -> tuple[int | None, float | None]:
    """Return periods and seconds in which the quota held the container up (cgroup v2 in us, v1 in ns)."""
    text = read_text(CGROUP / "cpu.stat") or read_text(CGROUP / "cpu" / "cpu.stat") or ""
    fields = {name: int(value) for name, value in (line.split() for line in text.splitlines())}
    if "throttled_usec" in fields:
        return fields["nr_throttled"], fields["throttled_usec"] / 1e6
    if "throttled_time" in fields:
        return fields["nr_throttled"], fields["throttled_time"] / 1e9
    return None, None


def read_text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return None
