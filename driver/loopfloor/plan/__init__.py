"""What to measure, in which order: plans, their faults, and the trials that follow. Reads one file, knows no clock."""

from loopfloor.plan.headlines import Headline
from loopfloor.plan.plan import SCENARIOS, Plan
from loopfloor.plan.reader import BUILT_IN, load_plan

__all__ = ["BUILT_IN", "SCENARIOS", "Headline", "Plan", "load_plan"]
