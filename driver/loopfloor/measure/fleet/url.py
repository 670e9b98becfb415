"""The `url` stage: targets that run already, somewhere. Nothing is started, pinned or stopped."""

import socket
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from loopfloor.errors import FleetError
from loopfloor.measure.fleet.stage import Address
from loopfloor.model import Isolation


class UrlStage:
    """Targets by name and URL. The name is resolved once; the load dials the address."""

    name = "url"
    no_targets = "no targets"

    def __init__(self, urls: Mapping[str, str], reason: str | None = None) -> None:
        self._urls = urls
        self._reason = reason

    def list_targets(self) -> Sequence[str]:
        return list(self._urls)

    def isolate(self) -> Isolation:
        return Isolation(mode="none", reason=self._reason or "the targets run elsewhere")

    def start(self, target: str, *, fresh: bool = True) -> Address:  # noqa: ARG002  it runs elsewhere
        try:
            parts = urlsplit(self._urls[target])
            host, port = parts.hostname, parts.port or 80
        except ValueError as error:
            raise FleetError(f"{target}: {self._urls[target]!r} is not a URL ({error})") from None
        if parts.scheme != "http" or not host:
            raise FleetError(f"{target}: {self._urls[target]!r} is not an http:// URL")
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:  # a name that is none is the latter
            reason = getattr(error, "strerror", None) or error
            raise FleetError(f"{target}: {host} cannot be resolved ({reason})") from error
        return Address(str(found[0][4][0]), port)

    def stop(self, target: str) -> None:
        """Leave it running: it is not ours."""

    def stop_others(self, *targets: str) -> Sequence[str]:  # noqa: ARG002  none of them is ours
        return ()

    def explain_exit(self, target: str) -> str | None:  # noqa: ARG002  nothing can be known of it
        return None

    def describe(self, target: str) -> dict[str, Any]:
        return {"image": None, "command": None, "cpus": None, "url": self._urls[target]}

    def describe_host(self) -> dict[str, Any]:
        return {"engine_version": None, "compose_version": None, "path": "whatever lies between here and the URL"}

    def close(self) -> None:
        """Leave everything running: it is not ours."""
