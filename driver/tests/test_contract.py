"""The contract, check by check, against all three runtimes. The same checks are `loopfloor conform`."""

import pytest

from loopfloor.conform import CHECKS, Wire
from loopfloor.conform.check import Check, name_check
from support.disturbed import MAY_BE_DISTURBED

pytestmark = MAY_BE_DISTURBED


@pytest.mark.parametrize("check", CHECKS, ids=name_check)
def test_contract(check: Check, wire: Wire) -> None:
    check(wire)
