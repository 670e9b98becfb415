"""Does a target keep the contract? The checks behind `loopfloor conform URL` and behind the contract tests."""

from loopfloor.conform.check import ContractError, name_check, run_checks
from loopfloor.conform.checks import CHECKS
from loopfloor.conform.wire import Wire

__all__ = ["CHECKS", "ContractError", "Wire", "name_check", "run_checks"]
