"""The `url` stage: targets that run already, somewhere. Nothing is started, pinned or stopped."""

import socket
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from loopfloor.errors import FleetError
from loopfloor.measure.fleet.stage import Address, Isolation


class UrlStage:
    """Targets by name and URL. The name is resolved once; the load dials the address."""

    name = "url"

    def __init__(self, urls: Mapping[str, str], reason: str | None = None) -> None:
        self._urls = urls
        self._reason = reason

    def list_targets(self) -> Sequence[str]:
        return list(self._urls)

    def isolate(self) -> Isolation:
        return Isolation("none", None, None, self._reason or "the targets run elsewhere")

    def start(self, target: str) -> Address:
        parts = urlsplit(self._urls[target])
        if parts.scheme != "http" or not parts.hostname:
            raise FleetError(f"{target}: {self._urls[target]!r} is not an http:// URL")
        try:
            found = socket.getaddrinfo(parts.hostname, parts.port or 80, type=socket.SOCK_STREAM)
        except OSError as error:
            raise FleetError(f"{target}: {parts.hostname} cannot be resolved ({error.strerror})") from error
        return Address(str(found[0][4][0]), parts.port or 80)

    def stop(self, target: str) -> None:
        """Leave it running: it is not ours."""

    def explain_exit(self, target: str) -> str | None:  # noqa: ARG002  nothing can be known of it
        return None

    def describe(self, target: str) -> dict[str, Any]:
        return {"image": None, "command": None, "cpus": None, "url": self._urls[target]}

    def describe_host(self) -> dict[str, Any]:
        return {"engine_version": None, "compose_version": None}

    def close(self) -> None:
        """Leave everything running: it is not ours."""
