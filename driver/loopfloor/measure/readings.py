"""Reads a target's instruments over its control routes, before and after a load, never during it.

The only room that knows httpx. Every read is bounded in size and time: a target is not trusted.
"""

import json
import math
import time
from typing import Any, Self

import httpx
import numpy as np
from prometheus_client.parser import text_string_to_metric_families
from pydantic import TypeAdapter, ValidationError

from loopfloor.errors import ReadingError
from loopfloor.model import Admission, Counters, Frozen, NativeFigures, Samples, Usage

READ_TIMEOUT_S = 10.0
HEALTH_TIMEOUT_S = 2.0
MAX_BYTES = 16 * 1024 * 1024
OFFSET_EXCHANGES = 9
STALLS = "event_loop_stalls_total"
NOTHING_SINCE_NS = 2**63 - 1


class SamplesAnswer(Frozen):
    """The body of `/samples` (times on the target's clock)."""

    now_ns: int
    interval_ms: int
    dropped: int
    thread_cpu_s: float | None
    busy_s: float | None
    gc_count: int | None
    gc_s: float | None
    ctx_switches: int | None
    native: NativeFigures | None
    samples: list[tuple[int, int]]

    def read_counters(self) -> Counters:
        return Counters.model_validate(self.model_dump(include=set(Counters.model_fields)))

    def read_samples(self, offset_ns: int) -> Samples:
        """Return the samples on the driver's axis."""
        table = np.array(self.samples, dtype=np.int64).reshape(-1, 2)
        return Samples(fired_at_ns=table[:, 0] - offset_ns, gap_ns=table[:, 1].copy())


class Instruments:
    """One target's control routes."""

    def __init__(self, base_url: str) -> None:
        self._client = httpx.Client(base_url=base_url, timeout=READ_TIMEOUT_S, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        self._client.close()

    def is_healthy(self) -> bool:
        try:
            return self._call("GET", "/healthz", timeout_s=HEALTH_TIMEOUT_S) == {"ok": True}
        except ReadingError:
            return False

    def read_info(self) -> dict[str, Any]:
        info = self._call("GET", "/info")
        if not isinstance(info, dict):
            raise ReadingError("/info did not answer an object")
        return info

    def read_usage(self) -> Usage:
        """Return what the target says that it has used; all None where it does not say."""
        try:
            return Usage.model_validate(self.read_info().get("usage") or {})
        except ValidationError as error:
            raise ReadingError(f"/info usage is what it must not be: {error.errors()[0]['msg']}") from error

    def arm(self, interval_ms: int) -> None:
        """Re-arm the ruler; returns after it fired twice."""
        self._call("POST", "/ruler", {"interval_ms": interval_ms})

    def read_samples(self, since_ns: int) -> SamplesAnswer:
        """Return what the ruler wrote down after `since_ns` (target clock), with the counters."""
        answer = self._call("GET", f"/samples?since_ns={since_ns}")
        try:
            return TypeAdapter(SamplesAnswer).validate_python(answer)
        except ValidationError as error:
            raise ReadingError(f"/samples answered what it must not: {error.errors()[0]['msg']}") from error

    def read_counters(self) -> Counters:
        return self.read_samples(NOTHING_SINCE_NS).read_counters()

    def measure_offset(self) -> tuple[int, int]:
        """Return target clock minus driver clock and its error bound, half the least round trip (ns)."""
        round_trip_ns, offset_ns = min(self._exchange_clocks() for _ in range(OFFSET_EXCHANGES))
        return offset_ns, (round_trip_ns + 1) // 2

    def _exchange_clocks(self) -> tuple[int, int]:
        sent_ns = time.perf_counter_ns()
        now_ns = self.read_counters().now_ns
        done_ns = time.perf_counter_ns()
        return done_ns - sent_ns, now_ns - (sent_ns + done_ns) // 2

    def set_admission(self, admission: Admission) -> None:
        """Set the door. Raises ReadingError where the target did not take it as asked."""
        settings = admission.model_dump()
        if (answer := self._call("POST", "/admission", settings)) != settings:
            raise ReadingError(f"/admission answered {answer!r}, not the settings that were asked for")

    def read_stalls(self) -> int | None:
        """Return the target's own count of stalls since its start; None where its metrics have no such series."""
        try:
            families = list(text_string_to_metric_families(self._fetch("GET", "/metrics").decode("utf-8")))
        except (ReadingError, ValueError):
            return None
        counts = [sample.value for family in families for sample in family.samples if sample.name == STALLS]
        return int(counts[0]) if len(counts) == 1 and math.isfinite(counts[0]) else None

    def _call(self, method: str, path: str, body: object = None, timeout_s: float = READ_TIMEOUT_S) -> object:
        try:
            return json.loads(self._fetch(method, path, body, timeout_s))
        except (ValueError, RecursionError) as error:
            raise ReadingError(f"{path} did not answer JSON") from error

    def _fetch(self, method: str, path: str, body: object = None, timeout_s: float = READ_TIMEOUT_S) -> bytes:
        deadline = time.monotonic() + 2 * timeout_s
        try:
            with self._client.stream(method, path, json=body, timeout=timeout_s) as response:
                content = bytearray()
                for chunk in response.iter_bytes():
                    content += chunk
                    if len(content) > MAX_BYTES:
                        raise ReadingError(f"{path} answered more than {MAX_BYTES} bytes")
                    if time.monotonic() > deadline:
                        raise ReadingError(f"{path} dripped for {2 * timeout_s:.0f} s")
        except httpx.HTTPError as error:
            raise ReadingError(f"{method} {path}: {type(error).__name__} {error}".strip()) from error
        if response.status_code != 200:
            raise ReadingError(f"{method} {path} answered {response.status_code}: {bytes(content[:200])!r}")
        return bytes(content)
