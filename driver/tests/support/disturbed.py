"""A shared machine disturbs what measures: a neighbour spoils one try, a fault of ours spoils every one."""

import pytest

MAY_BE_DISTURBED = pytest.mark.flaky(reruns=2)
