"""The JSON body of a request: at most 1024 bytes of strict JSON."""

import json
from typing import Any

from starlette.requests import Request

MAX_BODY_BYTES = 1024


async def read_json(request: Request) -> Any:
    """Raises ValueError for anything that is not JSON, or too large."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise ValueError("too large")
    try:
        return json.loads(body.decode("utf-8"), parse_constant=reject_constant)
    except RecursionError as error:
        raise ValueError("too deep") from error


def reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def is_number(value: Any, low: float, high: float, *, whole: bool) -> bool:
    """Whether a JSON value is a number within the limits; `1e1` and `10.0` are whole."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        return False
    return not whole or value == int(value)


def shorten(value: float) -> float:
    """Return a whole number as an integer, so that every runtime writes it alike: `10`, not `10.0`."""
    return int(value) if value == int(value) else value
