"""The columns of the tables that `loopfloor compare` writes."""

from loopfloor.publish.columns.column import Columns, real, text, whole

RUNS: Columns = {"run_a": text("the first run"), "run_b": text("the second run: claims are about it")}

COMPARISON_TABLES: dict[str, Columns] = {
    "comparison": RUNS
    | {
        "target": text("which target"),
        "figure": text("case and column of the headline figure"),
        "better": text("which way is faster: lower or higher"),
        "rounds": whole("rounds in which both runs have a figure fit to be compared"),
        "median_a": real("median of the first run's figure over those rounds, in the figure's own unit"),
        "median_b": real("median of the second run's"),
        "median_change": real("median over the rounds of second minus first"),
        "change_min": real("least of these changes"),
        "change_max": real("greatest of these changes"),
        "band": real("largest difference of either run's target from itself within a round (A/A)"),
        "claim": text("faster, slower or not_resolved: the second run against the first"),
        "reason": text("why nothing is resolved; blank where something is"),
    },
    "side_by_side": RUNS
    | {
        "table": text("the CSV that the figure is from"),
        "figure": text("case and column of the figure, and second or instance where it has one"),
        "target": text("which target"),
        **{
            f"{name}_{letter}": kind(f"{meaning} of the {run} run")
            for letter, run in (("a", "first"), ("b", "second"))
            for name, kind, meaning in (
                ("rounds", whole, "rounds that have the figure"),
                ("median", real, "median over them"),
                ("min", real, "least"),
                ("max", real, "greatest"),
            )
        },
    },
}
