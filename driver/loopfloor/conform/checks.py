"""All checks of the contract, in the order in which they are reported.

Each takes a `Wire` and raises `ContractError` with what was expected and what came. The names are sentences.
"""

from loopfloor.conform import health_checks, http_checks, instrument_checks, workload_checks
from loopfloor.conform.check import Check, ContractError, list_checks

CHECKS = list_checks(workload_checks, http_checks, instrument_checks, health_checks)

__all__ = ["CHECKS", "Check", "ContractError"]
