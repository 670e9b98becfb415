"""The columns of the tables about a run as a whole: its targets, its trials, and its figures across the rounds."""

from loopfloor.publish.columns.column import Columns, real, text, whole

TARGETS: Columns = {
    "run_id": text("the run; with target the key of the row"),
    "target": text("which target"),
    "runtime": text("what runs the loop; blank: it did not say"),
    "runtime_version": text("its version"),
    "loop_class": text("the class of the loop, as the runtime names it"),
    "versions": text("every version that the target gave, name=version, `;` between them"),
    "busy_source": text("where its busy share comes from: elu, selector or thread_cpu"),
    "pool_size": whole("threads of its pool"),
    "cores": whole("cores that it could run on"),
}
TRIALS: Columns = {
    "run_id": text("the run; with trial the key of the row"),
    "trial": text("the trial; also the folder of its raw files"),
    "round": whole("round of the campaign, from 1"),
    "repeat": whole("1, or 2 where the plan measures a target twice a round, against itself"),
    "target": text("which target"),
    "scenario": text("the table that holds its figures"),
    "case": text("what the trial does, the same name on every target"),
    "instance": whole("which instance of the target; blank where there is one"),
    "process": whole("which process of the target, counted within its turn"),
    "outcome": text("ok or failed: whether it could be measured at all; what its requests did is in the table"),
    "reason": text("why it failed"),
    "started_at": text("wall clock, for people only"),
}
MEDIANS: Columns = {
    "run_id": text("the run; with table, figure and target the key of the row"),
    "table": text("the CSV that the figure is from"),
    "figure": text("case and column of the figure, and second or instance where it has one"),
    "target": text("which target"),
    "case": text("what the trial does"),
    "second": whole("second of a ramp"),
    "instance": whole("which of several instances"),
    "column": text("column of that CSV"),
    "rounds": whole("rounds that have the figure; the first measurement of each, not its A/A repeat"),
    "median": real("median over these rounds, in the figure's own unit"),
    "min": real("least over these rounds"),
    "max": real("greatest over these rounds"),
    "bounds": whole("in how many of them the figure is only a lower bound (at least)"),
}
