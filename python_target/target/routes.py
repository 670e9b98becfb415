"""The routes of the contract on FastAPI, and the error bodies that every runtime shares."""

import re
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BeforeValidator, WithJsonSchema
from starlette.exceptions import HTTPException

from target.admission import ADMISSION_RULE, Admission, read_settings
from target.body import is_number, read_json
from target.busy import BusyMeter
from target.info import Runtime
from target.lag import LagMonitor
from target.metrics import CONTENT_TYPE, Metrics
from target.ruler import Ruler
from target.workloads import Workloads, burn, derive_key

MAX_NUMBER = 10_000
MAX_TIMESTAMP_NS = 2**63 - 1
NUMBER_RULE = f"a whole number from 0 to {MAX_NUMBER}, at most 5 digits"
TIMESTAMP_RULE = f"a whole number from 0 to {MAX_TIMESTAMP_NS}, at most 19 digits"
RULER_RULE = 'body: allowed is {"interval_ms":N}, N a whole number from 1 to 1000, at most 1024 bytes of JSON'


def read_number(digits: int, highest: int) -> BeforeValidator:
    """Accept plain digits only: pydantic alone would take `7.0`, `+7`, ` 7` and `1_0`."""
    pattern = re.compile(rf"[0-9]{{1,{digits}}}")

    def check(value: Any) -> int:
        if isinstance(value, int):
            return value  # the route's own default
        if not pattern.fullmatch(value) or int(value) > highest:
            raise ValueError("not such a number")
        return int(value)

    return BeforeValidator(check)


def number_schema(highest: int) -> WithJsonSchema:
    return WithJsonSchema({"type": "integer", "minimum": 0, "maximum": highest})


Number = Annotated[int, read_number(5, MAX_NUMBER), number_schema(MAX_NUMBER), Query()]
Timestamp = Annotated[int, read_number(19, MAX_TIMESTAMP_NS), number_schema(MAX_TIMESTAMP_NS), Query()]


@dataclass(frozen=True)
class Instruments:
    """What the instrument routes read and set."""

    runtime: Runtime
    ruler: Ruler
    busy: BusyMeter
    metrics: Metrics
    lag: LagMonitor


def build_app(instruments: Instruments, workloads: Workloads) -> Admission:
    """Return the served app behind its door."""
    app = build_api()
    door = Admission(app, instruments.lag)
    add_workload_routes(app, workloads)
    add_instrument_routes(app, instruments)
    add_admission_route(app, door)
    add_error_answers(app)
    return door


def build_api() -> FastAPI:
    """The API document is never served; it exists only for tests (`openapi()`)."""
    return FastAPI(title="loopfloor target", openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)


def add_workload_routes(app: FastAPI, workloads: Workloads) -> None:
    ok = {"ok": True}

    @app.get("/noop")
    async def noop() -> JSONResponse:
        return JSONResponse(ok)

    @app.get("/slow")
    async def slow(ms: Number = 300) -> JSONResponse:
        await workloads.wait(ms)
        return JSONResponse(ok)

    @app.get("/block")
    async def block(ms: Number = 30) -> JSONResponse:
        burn(ms)
        return JSONResponse(ok)

    @app.get("/hash-sync")
    async def hash_sync() -> JSONResponse:
        return JSONResponse({"ok": True, "key": derive_key()})

    @app.get("/hash-async")
    async def hash_async() -> JSONResponse:
        return JSONResponse({"ok": True, "key": await workloads.derive_key_in_pool()})

    @app.get("/ramp")
    async def ramp() -> JSONResponse:
        workloads.burn_ramp()
        return JSONResponse(ok)

    @app.get("/ramp-reset")
    async def ramp_reset() -> JSONResponse:
        workloads.reset_ramp()
        return JSONResponse(ok)

    @app.get("/work")
    async def work(cpu_ms: Number = 2, io_ms: Number = 10) -> JSONResponse:
        burn(cpu_ms)
        await workloads.wait(io_ms)
        return JSONResponse(ok)


def add_instrument_routes(app: FastAPI, instruments: Instruments) -> None:
    ruler = instruments.ruler

    @app.get("/eld")
    async def eld() -> JSONResponse:
        return JSONResponse(ruler.take_histogram())

    @app.get("/samples")
    async def samples(since_ns: Timestamp = 0) -> JSONResponse:
        counters = instruments.busy.read_counters()
        found, dropped = ruler.read_samples(since_ns)
        now_ns = ruler.read_clock_ns()
        state = {"now_ns": now_ns, "interval_ms": ruler.interval_ms, "dropped": dropped}
        return JSONResponse({**state, **counters, "native": None, "samples": found})

    @app.post("/ruler", openapi_extra=describe_body({"interval_ms": {"type": "integer"}}, "interval_ms"))
    async def arm_ruler(request: Request) -> JSONResponse:
        interval_ms = await read_interval_ms(request)
        await ruler.arm(interval_ms)
        return JSONResponse({"interval_ms": interval_ms})

    @app.get("/info")
    async def info() -> JSONResponse:
        return JSONResponse(instruments.runtime.describe(ruler.interval_ms))

    @app.get("/metrics")
    async def metrics() -> Response:
        return Response(instruments.metrics.expose(), headers={"content-type": CONTENT_TYPE})

    @app.get("/healthz")
    async def healthz() -> JSONResponse:
        return JSONResponse({"ok": True})


def add_admission_route(app: FastAPI, door: Admission) -> None:
    number = {"type": ["number", "null"]}
    fields = {"enabled": {"type": "boolean"}, "lag_p99_ms": number, "busy": number, "lag_now_ms": number}

    @app.post("/admission", openapi_extra=describe_body(fields, "enabled"))
    async def set_admission(request: Request) -> JSONResponse:
        try:
            settings = read_settings(await read_json(request))
        except ValueError:
            raise HTTPException(422, ADMISSION_RULE) from None
        return JSONResponse(door.apply(settings))


def describe_body(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    schema = {"type": "object", "required": required, "properties": properties}
    return {"requestBody": {"content": {"application/json": {"schema": schema}}}}


async def read_interval_ms(request: Request) -> int:
    """Return the interval asked for; anything but one JSON object with a whole number in it is a 422."""
    try:
        content = await read_json(request)
    except ValueError:
        content = None
    interval_ms = content.get("interval_ms") if isinstance(content, dict) else None
    if not is_number(interval_ms, 1, 1000, whole=True):
        raise HTTPException(422, RULER_RULE)
    return int(interval_ms)  # type: ignore[arg-type]


def add_error_answers(app: FastAPI) -> None:
    allowed = ", ".join(sorted(route.path for route in app.routes))  # type: ignore[attr-defined]

    @app.exception_handler(HTTPException)
    async def answer_refusal(_request: Request, refusal: HTTPException) -> JSONResponse:
        headers = {name.lower(): value for name, value in (refusal.headers or {}).items()}
        texts = {
            404: f"unknown route; allowed are {allowed}",
            405: f"method not allowed; allowed is {headers.get('allow')}",
        }
        return JSONResponse({"error": texts.get(refusal.status_code, refusal.detail)}, refusal.status_code, headers)

    @app.exception_handler(RequestValidationError)
    async def answer_bad_value(_request: Request, fault: RequestValidationError) -> JSONResponse:
        names = [str(error["loc"][-1]) for error in fault.errors()]
        rules = [f"{name}: {TIMESTAMP_RULE if name == 'since_ns' else NUMBER_RULE}" for name in names]
        return JSONResponse({"error": "; ".join(rules)}, 422)

    @app.exception_handler(Exception)
    async def answer_crash(_request: Request, _crash: Exception) -> JSONResponse:
        return JSONResponse({"error": "the target failed; its log says why"}, 500)
