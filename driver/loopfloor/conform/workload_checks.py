"""The routes that do work: status, body bytes, header set, the work itself, and bad values."""

import time
from statistics import median

from loopfloor.conform.check import expect, expect_answer, expect_between, expect_error
from loopfloor.conform.wire import Wire

OK_BODY = b'{"ok":true}'
KEY_BODY = b'{"ok":true,"key":"7fc8f5a7c8e57525"}'
OK_ROUTES = ("/noop", "/slow?ms=1", "/block?ms=1", "/ramp-reset", "/ramp", "/work?cpu_ms=1&io_ms=1", "/healthz")
NUMBER_RULE = "a whole number from 0 to 10000, at most 5 digits"
BAD_NUMBERS = (
    "7.0", "+7", "%207", "7%20", "1_0", "-1", "10001", "99999", "000001", "", "x", "0x10", "1e3",
    "%D9%A3", "7%0A", "NaN", "%zz", "1#x",
)  # fmt: skip
SHOTS = 20
BLOCK_TRIES = 4


def check_every_ok_route_answers_the_same_bytes(wire: Wire) -> None:
    for route in OK_ROUTES:
        expect_answer(f"GET {route}", wire.get(route), 200, OK_BODY)


def check_both_hash_routes_derive_the_same_key(wire: Wire) -> None:
    for route in ("/hash-sync", "/hash-async"):
        expect_answer(f"GET {route}", wire.get(route), 200, KEY_BODY)


def check_a_block_holds_for_its_length_by_an_outside_clock(wire: Wire) -> None:
    """Over the path itself, a no-op on the same connection just before. A disturbed machine gets further tries."""
    tries = [time_block_over_path(wire)]
    while tries[-1] > 7.5 and len(tries) < BLOCK_TRIES:
        tries.append(time_block_over_path(wire))
    expect_between("median of /block?ms=7 over the path, in ms", 0, min(tries), 7.5)


def time_block_over_path(wire: Wire) -> float:
    """Return the median; a block that is shorter than asked for by the outside clock is refused at once."""
    answers = wire.get_each(["/noop", "/block?ms=7"] * SHOTS)
    pairs = list(zip(answers[::2], answers[1::2], strict=True))
    expect_between("shortest /block?ms=7 in ms", 7.0, min(block.took_ms for _, block in pairs), 1e3)
    return median(block.took_ms - noop.took_ms for noop, block in pairs)


def check_a_block_holds_up_whoever_comes_behind_it(wire: Wire) -> None:
    first, second = wire.get_together(["/block?ms=150", "/block?ms=150"])
    expect_between("two blocks of 150 ms, one after the other", 280, first.took_ms + second.took_ms, 2000)


def check_a_slow_request_waits_without_blocking(wire: Wire) -> None:
    started = time.perf_counter()
    for answer in wire.get_together(["/slow?ms=300"] * 20):
        expect_answer("GET /slow?ms=300, 20 at once", answer, 200, OK_BODY)
    expect_between("20 waits of 300 ms at once, in ms", 299, (time.perf_counter() - started) * 1e3, 1500)


def check_work_burns_and_then_waits(wire: Wire) -> None:
    took_ms = median(answer.took_ms for answer in wire.get_each(["/work?cpu_ms=20&io_ms=40"] * 5))
    expect_between("/work?cpu_ms=20&io_ms=40 in ms", 59, took_ms, 120)


def check_the_ramp_burns_the_whole_seconds_since_its_reset(wire: Wire) -> None:
    wire.get("/ramp-reset")
    at_once_ms = median(answer.took_ms for answer in wire.get_each(["/ramp"] * 5))
    time.sleep(3.1)
    later_ms = median(answer.took_ms for answer in wire.get_each(["/ramp"] * 5))
    expect_between("the ramp after 3 s less the ramp at once, in ms", 2.5, later_ms - at_once_ms, 8)
    wire.get("/ramp-reset")


def check_anything_but_plain_digits_is_refused(wire: Wire) -> None:
    for text in BAD_NUMBERS:
        expect_error(f"GET /block?ms={text}", wire.get(f"/block?ms={text}"), 422, f"ms: {NUMBER_RULE}")
    expect_error("GET /slow?ms", wire.get("/slow?ms"), 422, f"ms: {NUMBER_RULE}")


def check_every_bad_value_is_named_at_once(wire: Wire) -> None:
    both = f"cpu_ms: {NUMBER_RULE}; io_ms: {NUMBER_RULE}"
    expect_error("GET /work with two bad values", wire.get("/work?io_ms=x&cpu_ms=-1"), 422, both)


def check_leading_zeros_escapes_and_unknown_names_are_taken(wire: Wire) -> None:
    for route in (
        "/block?ms=00001",
        "/block?ms=%31",
        "/block?%6ds=1",
        "/block?other=x&ms=1",
        "/block?ms=0",
        "/noop?ms=x",
    ):
        expect_answer(f"GET {route}", wire.get(route), 200, OK_BODY)


def check_of_a_repeated_parameter_the_last_counts(wire: Wire) -> None:
    expect_answer("GET /block?ms=x&ms=1", wire.get("/block?ms=x&ms=1"), 200, OK_BODY)
    expect("GET /block?ms=1&ms=x", 422, wire.get("/block?ms=1&ms=x").status)
