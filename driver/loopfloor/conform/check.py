"""What a check is: a named function that raises `ContractError`."""

from collections.abc import Callable, Iterator, Sequence
from types import ModuleType

from loopfloor.conform.wire import Answer, Wire

Check = Callable[[Wire], None]

ANSWER_HEADERS = {"content-length", "content-type"}
EXTRA_HEADERS = {405: {"allow"}, 503: {"retry-after"}}


class ContractError(AssertionError):
    """The contract is not kept: what was expected, and what came."""


def list_checks(*rooms: ModuleType) -> Sequence[Check]:
    """Return the functions whose names start with `check_`, in the order in which they stand."""
    return [value for room in rooms for name, value in vars(room).items() if name.startswith("check_")]


def name_check(check: Check) -> str:
    return check.__name__.removeprefix("check_").replace("_", " ")


def run_checks(checks: Sequence[Check], wire: Wire) -> Iterator[tuple[str, str | None]]:
    """Yield each check's name and what it found broken, or None."""
    for check in checks:
        try:
            check(wire)
            yield name_check(check), None
        except ContractError as broken:
            yield name_check(check), str(broken)
        except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            # The checks read answers as the contract has them; whatever else comes trips them here.
            yield name_check(check), f"{type(error).__name__}: {error}"


def expect(what: str, expected: object, got: object) -> None:
    if got != expected:
        raise ContractError(f"{what}: expected {expected!r}, got {got!r}")


def expect_answer(what: str, answer: Answer, status: int, body: bytes) -> None:
    """Status, body bytes and header set, all at once."""
    expect(what, (status, body), (answer.status, answer.body))
    expect(f"{what}, header set", ANSWER_HEADERS | EXTRA_HEADERS.get(status, set()), set(answer.headers))
    expect(f"{what}, content-type", "application/json", answer.headers["content-type"])


def expect_error(what: str, answer: Answer, status: int, text: str) -> None:
    expect_answer(what, answer, status, b'{"error":"%b"}' % text.replace('"', '\\"').encode())


def expect_between(what: str, low: float, value: float, high: float) -> None:
    if not low <= value <= high:
        raise ContractError(f"{what}: expected {low:.4g} to {high:.4g}, got {value:.4g}")
