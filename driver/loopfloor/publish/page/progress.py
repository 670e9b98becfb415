"""The page while a run goes on: what is done so far. It refreshes itself until the report takes its place."""

from collections import Counter
from collections.abc import Sequence

from loopfloor.model import Trial, TrialRecord
from loopfloor.publish.page.template import make_environment

REFRESH_S = 5


def format_progress(run_id: str, conditions: str, planned: Sequence[Trial], done: Sequence[TrialRecord]) -> str:
    """Return the page."""
    of = Counter((trial.scenario, trial.target) for trial in planned)
    so_far = Counter((record.trial.scenario, record.trial.target) for record in done)
    return (
        make_environment()
        .get_template("progress.html.j2")
        .render(
            run_id=run_id,
            conditions=conditions,
            refresh_s=REFRESH_S,
            planned=len(planned),
            done=len(done),
            scenarios=list(dict.fromkeys(trial.scenario for trial in planned)),
            targets=list(dict.fromkeys(trial.target for trial in planned)),
            of=of,
            so_far=so_far,
            failed=[record for record in done if record.status != "ok"],
            last=[record.trial for record in done[-1:]],
        )
    )
