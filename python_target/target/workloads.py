"""The work behind the routes: waiting, burning wall time, hashing, and the ramp's clock."""

import asyncio
import hashlib
import time
from concurrent.futures import ThreadPoolExecutor

POOL_SIZE = 4
RAMP_LIMIT_MS = 20


def burn(duration_ms: int) -> None:
    """Hold the event loop for `duration_ms` of wall time."""
    end_ns = time.perf_counter_ns() + duration_ms * 1_000_000
    while time.perf_counter_ns() < end_ns:
        pass


def derive_key() -> str:
    """Return the first 16 hex digits of PBKDF2-HMAC-SHA512; the same on every runtime."""
    return hashlib.pbkdf2_hmac("sha512", b"p", b"s", 40_000, 32).hex()[:16]


class Workloads:
    """What needs a loop, a pool or a memory of its own."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._pool = ThreadPoolExecutor(POOL_SIZE, thread_name_prefix="hash")
        self._ramp_started_ns = time.perf_counter_ns()

    async def wait(self, duration_ms: int) -> None:
        await asyncio.sleep(duration_ms / 1e3)

    async def derive_key_in_pool(self) -> str:
        return await self._loop.run_in_executor(self._pool, derive_key)

    def reset_ramp(self) -> None:
        self._ramp_started_ns = time.perf_counter_ns()

    def burn_ramp(self) -> None:
        """Burn as many ms as whole seconds have passed since the reset, at most 20."""
        elapsed_s = (time.perf_counter_ns() - self._ramp_started_ns) // 1_000_000_000
        burn(min(RAMP_LIMIT_MS, elapsed_s))
