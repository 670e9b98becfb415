"""The few figures on which claims are made: named before the run, at most twelve."""

from typing import Annotated, Literal

from pydantic import Field

from loopfloor.model import Frozen

Word = Annotated[str, Field(pattern=r"^[a-z0-9_-]+$")]


class Headline(Frozen):
    """One figure of one case. `better` says which way is faster; only then can a claim be worded."""

    table: Word
    case: Word
    column: Word
    second: int | None = None  # of a ramp
    better: Literal["lower", "higher"] = "lower"

    @property
    def name(self) -> str:
        where = self.case if self.second is None else f"{self.case} second {self.second}"
        return f"{where} {self.column}"

    @property
    def is_loop_figure(self) -> bool:
        """Loop figures carry the granularity of timers, up to 1 ms."""
        return self.column.startswith(("gap_", "excess_", "over_interval_", "wait_"))
