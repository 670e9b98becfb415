"""`trials.csv`: every trial and whether it could be measured at all."""

from loopfloor.judge.tables.reading import Row
from loopfloor.model import TrialRecord


def make_row(run_id: str, record: TrialRecord) -> Row:
    trial = record.trial
    return {
        "run_id": run_id,
        "trial": trial.id,
        "round": trial.round,
        "repeat": trial.repeat,
        "target": trial.target,
        "scenario": trial.scenario,
        "case": trial.case,
        "instance": trial.instance,
        "process": record.process,
        "outcome": record.status,
        "reason": record.reason,
        "started_at": record.started_at,
    }
