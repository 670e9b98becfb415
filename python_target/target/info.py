"""What this target is: runtime, versions, loop, pool, and its container as it looks from inside."""

import asyncio
import os
import platform
import ssl
import time
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from target.container import read_limits, read_usage
from target.workloads import POOL_SIZE

PACKAGES = ("fastapi", "hdrhistogram", "httptools", "pydantic", "starlette", "uvicorn", "uvloop")


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
            "usage": read_usage(),
        }
