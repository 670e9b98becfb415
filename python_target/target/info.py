"""What this target is: runtime, versions, loop, pool, and the limits as they look from inside."""

import asyncio
import os
import platform
import ssl
import time
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from target.workloads import POOL_SIZE

PACKAGES = ("fastapi", "hdrhistogram", "httptools", "pydantic", "starlette", "uvicorn", "uvloop")
CGROUP = Path("/sys/fs/cgroup")
UNLIMITED_BYTES = 1 << 60  # cgroup v1 writes "no limit" as a huge number


@dataclass(frozen=True)
class Runtime:
    """The loop that this process was started on."""

    loop_name: str
    loop: asyncio.AbstractEventLoop
    busy_source: str

    def describe(self, interval_ms: int) -> dict[str, Any]:
        """Return the body of `/info`; null where something cannot be known."""
        return {
            "runtime": "python",
            "runtime_version": platform.python_version(),
            "loop": self.loop_name,
            "loop_class": f"{type(self.loop).__module__}.{type(self.loop).__qualname__}",
            "versions": {
                "python": platform.python_version(),
                "openssl": ssl.OPENSSL_VERSION,
                **{name: version(name) for name in PACKAGES},
            },
            "pool_size": POOL_SIZE,
            "interval_ms": interval_ms,
            "clock": time.get_clock_info("perf_counter").implementation,
            "busy_source": self.busy_source,
            "native_monitor": None,
            "pid": os.getpid(),
            "limits": read_limits(),
        }


def read_limits() -> dict[str, Any]:
    return {
        "cpus_allowed": read_status_field("Cpus_allowed_list"),
        "cpu_quota": read_cpu_quota(),
        "memory_limit_bytes": read_memory_limit_bytes(),
    }


def read_status_field(name: str) -> str | None:
    for line in (read_text(Path("/proc/self/status")) or "").splitlines():
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


def read_text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError:
        return None
