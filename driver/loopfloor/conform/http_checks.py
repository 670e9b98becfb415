"""HTTP itself: routing, methods, keep-alive, pipelining, and what is too large or malformed."""

import time
from contextlib import closing

from loopfloor.conform.check import ContractError, expect, expect_answer, expect_between, expect_error
from loopfloor.conform.wire import Wire, encode
from loopfloor.conform.workload_checks import OK_BODY

ROUTES = (
    "/admission", "/block", "/eld", "/hash-async", "/hash-sync", "/healthz", "/info", "/metrics", "/noop",
    "/ramp", "/ramp-reset", "/ruler", "/samples", "/slow", "/work",
)  # fmt: skip
UNKNOWN_ROUTE = f"unknown route; allowed are {', '.join(ROUTES)}"
STRANGE_TARGETS = (
    "/", "/nope", "/noop/", "//noop", "/%6eoop", "/noop%20", "/NOOP", "/noop#x", "http://target/noop",
    "/docs", "/redoc", "/openapi.json", "/constructor", "/__proto__", "*", "http:///noop", "https://x:99999/noop",
)  # fmt: skip
IDLE_S = 6.0  # past the 5 s at which both servers would close by default


def check_the_raw_path_is_compared_and_nothing_is_normalised(wire: Wire) -> None:
    for route in STRANGE_TARGETS:
        expect_error(f"GET {route}", wire.get(route), 404, UNKNOWN_ROUTE)


def check_a_wrong_method_is_405_and_says_which_is_allowed(wire: Wire) -> None:
    for method, route, allowed in (
        ("POST", "/noop", "GET"), ("OPTIONS", "/noop", "GET"), ("DELETE", "/healthz", "GET"), ("GET", "/ruler", "POST"),
    ):  # fmt: skip
        answer = wire.get(route, method, b"" if method == "POST" else None)
        expect_error(f"{method} {route}", answer, 405, f"method not allowed; allowed is {allowed}")
        expect(f"{method} {route}, allow", allowed, answer.headers.get("allow"))


def check_head_is_405_without_a_body(wire: Wire) -> None:
    answer = wire.get("/noop", "HEAD")
    expect("HEAD /noop", (405, b""), (answer.status, answer.body))


def check_an_unknown_route_is_404_whatever_the_method(wire: Wire) -> None:
    expect_error("POST /nope", wire.get("/nope", "POST", b""), 404, UNKNOWN_ROUTE)


def check_one_connection_carries_many_requests(wire: Wire) -> None:
    for answer in wire.get_each(["/noop", "/nope", "/block?ms=x", "/noop"]):
        expect("header set on a kept connection", {"content-length", "content-type"}, set(answer.headers))


def check_an_idle_connection_outlives_six_seconds(wire: Wire) -> None:
    with closing(wire.connect()) as connection:
        connection.exchange(encode("/noop"))
        time.sleep(IDLE_S)
        try:
            expect_answer("a request after 6 s of idleness", connection.exchange(encode("/noop")), 200, OK_BODY)
        except ConnectionError:
            raise ContractError("the target closed an idle connection within 6 s; 75 s are asked for") from None


def check_a_client_that_asks_to_close_is_closed(wire: Wire) -> None:
    for raw in (encode("/noop", headers="connection: close\r\n"), b"GET /noop HTTP/1.0\r\n\r\n"):
        with closing(wire.connect()) as connection:
            answer = connection.exchange(raw)
            expect(f"{raw!r}", (200, "close"), (answer.status, answer.headers.get("connection")))
            expect(f"{raw!r} closes", True, connection.is_closed())


def check_pipelined_requests_are_answered_in_order(wire: Wire) -> None:
    with closing(wire.connect()) as connection:
        connection.send(encode("/slow?ms=50") + encode("/nope") + encode("/noop"))
        statuses = [connection.read().status for _ in range(3)]
    expect("three pipelined requests", [200, 404, 200], statuses)


def check_a_request_in_pieces_is_one_request(wire: Wire) -> None:
    with closing(wire.connect()) as connection:
        for piece in (b"GET /no", b"op HTTP/1.1\r\nho", b"st: x\r\n", b"\r\n"):
            connection.send(piece)
            time.sleep(0.02)
        expect_answer("a request in four pieces", connection.read(), 200, OK_BODY)


def check_no_host_header_is_needed(wire: Wire) -> None:
    with closing(wire.connect()) as connection:
        expect_answer("a request without host", connection.exchange(b"GET /noop HTTP/1.1\r\n\r\n"), 200, OK_BODY)


def check_headers_of_8_kib_pass_and_over_16_kib_are_431(wire: Wire) -> None:
    with closing(wire.connect()) as connection:
        passed = connection.exchange(encode("/noop", headers=f"x-fill: {'a' * 8192}\r\n"))
        expect_answer("a header block of 8 KiB", passed, 200, OK_BODY)
    whole = encode("/noop", headers=f"x-fill: {'a' * 20_000}\r\n")
    for what, raw in (("whole", whole), ("unfinished", whole[:-4]), ("long target", encode("/noop?" + "a" * 20_000))):
        with closing(wire.connect()) as connection:
            answer = connection.exchange(raw)
            expect(f"a header block of 20 kB, {what}", 431, answer.status)
            expect("its body", b'{"error":"header block too large; allowed are 16384 bytes"}', answer.body)
            expect("it closes", True, connection.is_closed())


def check_many_small_headers_count_with_their_lines(wire: Wire) -> None:
    with closing(wire.connect()) as connection:
        passed = connection.exchange(encode("/noop", headers="a: 1\r\n" * 1500))
        expect_answer("1500 small headers", passed, 200, OK_BODY)
    with closing(wire.connect()) as connection:
        answer = connection.exchange(encode("/noop", headers="a: 1\r\n" * 4000))
        expect("status of 4000 small headers", 431, answer.status)


def check_a_large_body_is_refused_and_the_connection_goes_on(wire: Wire) -> None:
    with closing(wire.connect()) as connection:
        answer = connection.exchange(encode("/ruler", "POST", b"x" * 200_000))
        expect("status of a body of 200 kB", 422, answer.status)
        expect_answer("the request behind it", connection.exchange(encode("/noop")), 200, OK_BODY)
        connection.send(encode("/noop", "POST", b"y" * 20_000) + b"GET /noop HTTP/1.1\r\n")
        expect("status of a body of 20 kB", 405, connection.read().status)
        connection.send(b"host: x\r\n\r\n")
        expect_answer("the request behind it, in pieces", connection.read(), 200, OK_BODY)


def check_expectations_change_nothing_but_the_go_ahead_for_a_body(wire: Wire) -> None:
    for expectation in ("100-continue", "bogus"):
        with closing(wire.connect()) as connection:
            answer = connection.exchange(encode("/noop", headers=f"expect: {expectation}\r\n"))
            expect_answer(f"GET /noop, expect: {expectation}", answer, 200, OK_BODY)
    with closing(wire.connect()) as connection:
        body = b'{"interval_ms":10}'
        connection.send(encode("/ruler", "POST", body, "expect: 100-continue\r\n")[: -len(body)])
        expect("the go-ahead", 100, connection.read(bodiless=True).status)
        expect_answer("POST /ruler after it", connection.exchange(body), 200, body)


def check_connect_is_4xx_and_closes(wire: Wire) -> None:
    with closing(wire.connect()) as connection:
        answer = connection.exchange(b"CONNECT /noop HTTP/1.1\r\nhost: x\r\n\r\n")
        expect_between("status of CONNECT", 400, answer.status, 499)
        expect("it closes", True, connection.is_closed())


def check_a_request_that_asks_to_close_is_answered_though_more_follows(wire: Wire) -> None:
    with closing(wire.connect()) as connection:
        connection.send(encode("/slow?ms=20", headers="connection: close\r\n") + encode("/noop"))
        expect("the first of two", 200, connection.read().status)
        expect("it closes", True, connection.is_closed())


def check_malformed_http_is_4xx_and_closes(wire: Wire) -> None:
    for raw in (b"\x16\x03\x01 hello\r\n\r\n", b"GET\r\n\r\n", b"GET /noop HTTP/1.1\r\nbad header\r\n\r\n"):
        with closing(wire.connect()) as connection:
            answer = connection.exchange(raw)
            expect_between(f"status of {raw!r}", 400, answer.status, 499)
            expect(f"{raw!r} closes", True, connection.is_closed())
    expect("it still answers", 200, wire.get("/healthz").status)
