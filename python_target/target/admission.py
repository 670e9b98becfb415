"""Load shedding: refuse work at the door while the loop is late, so that what is let in keeps its latency.

Pure ASGI, before routing: a refusal must cost next to nothing. The instruments are never refused.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import asdict, dataclass
from typing import Any

from target.body import is_number, shorten
from target.lag import LagMonitor

INSTRUMENTS = frozenset({"/admission", "/eld", "/healthz", "/info", "/metrics", "/ramp-reset", "/ruler", "/samples"})
RELEASE_LAG_SHARE = 0.5  # hysteresis: shedding ends under half the lag and nine tenths of the busy share
RELEASE_BUSY_SHARE = 0.9
REFUSAL_BODY = b'{"error":"overloaded; retry after 1 s"}'
REFUSAL_START = {
    "type": "http.response.start",
    "status": 503,
    "headers": [
        (b"content-length", b"%d" % len(REFUSAL_BODY)),
        (b"content-type", b"application/json"),
        (b"retry-after", b"1"),
    ],
}
REFUSAL_END = {"type": "http.response.body", "body": REFUSAL_BODY}
ADMISSION_RULE = (
    'body: allowed is {"enabled":true or false,"lag_p99_ms":N,"busy":X,"lag_now_ms":N}, lag_p99_ms a whole number '
    "from 1 (timers are no finer) to 10000, busy from 0.1 to 1, lag_now_ms a whole number from 0 to 10000, each of the "
    "three null or left out for off, at most 1024 bytes of JSON"
)
WINDOW_RULE = {"lag_p99_ms": 200, "busy": 0.9, "lag_now_ms": None}

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Any, Send], Awaitable[None]]


@dataclass(frozen=True)
class Settings:
    """The window rule (`lag_p99_ms`, `busy`, over the last second) and the instant rule (`lag_now_ms`); None is off."""

    enabled: bool = False
    lag_p99_ms: float | None = None
    busy: float | None = None
    lag_now_ms: float | None = None


def read_settings(content: Any) -> Settings:
    """Raises ValueError for anything but the fields above. On without a threshold means the window rule's own."""
    if not isinstance(content, dict) or not content.keys() <= {"enabled", *WINDOW_RULE}:
        raise ValueError("unknown fields")
    enabled = content.get("enabled")
    thresholds = {name: content.get(name) for name in WINDOW_RULE}
    if not isinstance(enabled, bool) or not all(is_allowed(name, value) for name, value in thresholds.items()):
        raise ValueError("out of range")
    if enabled and all(value is None for value in thresholds.values()):
        thresholds = dict(WINDOW_RULE)
    return Settings(enabled, **{name: None if value is None else shorten(value) for name, value in thresholds.items()})


def is_allowed(name: str, value: Any) -> bool:
    if value is None:
        return True
    if name == "busy":
        return is_number(value, 0.1, 1, whole=False)
    return is_number(value, 1 if name == "lag_p99_ms" else 0, 10_000, whole=True)


class Admission:
    """The door in front of the app."""

    def __init__(self, app: App, lag: LagMonitor) -> None:
        self._app = app
        self._lag = lag
        self._settings = Settings()
        self._shedding = False

    def apply(self, settings: Settings) -> dict[str, Any]:
        """Return the settings that hold from now on."""
        self._settings = settings
        self._shedding = False
        return asdict(settings)

    async def __call__(self, scope: Any, receive: Any, send: Send) -> None:
        if self._settings.enabled and scope["path"] not in INSTRUMENTS and self.refuses():
            await send(REFUSAL_START)
            await send(REFUSAL_END)
        else:
            await self._app(scope, receive, send)

    def refuses(self) -> bool:
        """Return whether a request that comes in at this instant is turned away."""
        limit_ms = self._settings.lag_now_ms
        if limit_ms is not None and self._lag.read_lag_now_ms() > limit_ms:
            return True
        if self._shedding:
            self._shedding = self._exceeds(RELEASE_LAG_SHARE, RELEASE_BUSY_SHARE)
        else:
            self._shedding = self._exceeds(1, 1)
        return self._shedding

    def _exceeds(self, lag_share: float, busy_share: float) -> bool:
        """Whether the last second was over either threshold of the window rule, scaled."""
        settings, lag = self._settings, self._lag
        late = settings.lag_p99_ms is not None and (lag.lag_p99_ms or 0) > settings.lag_p99_ms * lag_share
        busy = settings.busy is not None and (lag.busy or 0) > settings.busy * busy_share
        return late or busy
