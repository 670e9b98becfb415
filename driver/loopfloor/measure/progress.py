"""What a person sees while a run goes on: one line per trial, and a bar where there is a terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from loopfloor.model import Trial, TrialRecord

TRIAL_OVERHEAD_S = 0.5  # arming, reading, writing; for the time left only


class TrialProgress:
    """The bar is drawn between trials and once a second, never by a thread of its own: that would be load."""

    def __init__(self, console: Console, trials: Sequence[Trial]) -> None:
        self._console = console
        self._durations_s = [trial.load.duration_s + TRIAL_OVERHEAD_S for trial in trials]
        self._total_s = sum(self._durations_s)
        self._number = 0
        self._bar: Progress | None = None
        self._task: TaskID | None = None
        if console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[left]}"),
                console=console,
                auto_refresh=False,
            )
            self._task = self._bar.add_task("starting", total=self._total_s, left="")
            self._bar.start()

    def say(self, text: str) -> None:
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)

    def begin(self, trial: Trial) -> None:
        if self._bar and self._task is not None:
            text = f"{self._number + 1}/{len(self._durations_s)} {trial.target} {trial.case}"
            self._bar.update(self._task, description=text, left=f"{self._left()} left", refresh=True)

    def tick(self, seconds: float) -> None:
        if self._bar and self._task is not None:
            self._bar.update(self._task, advance=seconds, refresh=True)

    def end(self, record: TrialRecord) -> None:
        trial = record.trial
        self._number += 1
        done_s = sum(self._durations_s[: self._number])
        width = len(str(len(self._durations_s)))
        outcome = record.status if record.reason is None else f"{record.status}: {record.reason}"
        self.say(
            f"{self._number:{width}d} of {len(self._durations_s)}  {trial.target:<8} {trial.scenario:<11} "
            f"{trial.case:<16} {outcome}, {self._left()} left"
        )
        if self._bar and self._task is not None:
            self._bar.update(self._task, completed=done_s, refresh=True)

    def close(self) -> None:
        if self._bar:
            self._bar.stop()

    def _left(self) -> str:
        left_s = round(self._total_s - sum(self._durations_s[: self._number]))
        return f"{left_s // 60} min {left_s % 60:02d} s"
