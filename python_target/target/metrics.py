"""The loop's health for Prometheus. Scrapes read and never reset, so that two scrapers do not disturb each other."""

import logging
from datetime import UTC, datetime

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from target.lag import LagMonitor
from target.ruler import Ruler

LAG_BUCKETS_S = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)
STALL_NS = 250_000_000

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
log = logging.getLogger("target")


class Metrics:
    """Lag as a histogram, the busy share of the last second, and stalls, each of which is logged."""

    def __init__(self, ruler: Ruler, lag: LagMonitor) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = CollectorRegistry()
        self._lag = Histogram(
            "event_loop_lag_seconds",
            "Lateness of the ruler beyond its interval.",
            buckets=LAG_BUCKETS_S,
            registry=self._registry,
        )
        self._stalls = Counter("event_loop_stalls", "Firings more than 250 ms late.", registry=self._registry)
        busy = Gauge(
            "event_loop_busy_ratio", "Busy share of the loop in the last whole second.", registry=self._registry
        )
        busy.set_function(lambda: float("nan") if lag.busy is None else lag.busy)
        ruler.watch(self._note)

    def _note(self, lag_ns: int) -> None:
        self._lag.observe(lag_ns / 1e9)
        if lag_ns > STALL_NS:
            self._stalls.inc()
            until = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
            log.warning("event loop stalled for %d ms until %s", lag_ns // 1_000_000, until)

    def expose(self) -> bytes:
        """Return the text format, version 0.0.4."""
        return generate_latest(self._registry)
