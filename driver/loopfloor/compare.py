"""Two runs side by side: refuses what was not measured alike, then judges each headline figure as a claim is judged."""

from dataclasses import dataclass

from loopfloor.derive import derive_tables
from loopfloor.errors import UsageError
from loopfloor.judge.conditions import list_subjects, list_unlike
from loopfloor.judge.tables import comparison
from loopfloor.judge.tables.reading import Row
from loopfloor.plan import Headline, load_plan
from loopfloor.publish.comparison import Heading, format_comparison
from loopfloor.publish.page import format_comparison_page
from loopfloor.publish.tables import format_table
from loopfloor.record import Folder, Manifest, RunFolder

SLOWER = "slower"
PAGE = "comparison.html"


@dataclass(frozen=True)
class Comparison:
    """What two runs say together. The second is judged against the first."""

    heading: Heading
    claims: list[Row]
    side_by_side: list[Row]

    def list_slower(self) -> list[str]:
        return [f"{row['target']}, {row['figure']}: slower" for row in self.claims if row["claim"] == SLOWER]


def compare_runs(first: RunFolder, second: RunFolder, *, force: bool) -> Comparison:
    """Raises UsageError, with every unlike condition, unless forced; or where nothing stands in both."""
    manifests = first.read_manifest(), second.read_manifest()
    facts = [manifest.model_dump(mode="json") for manifest in manifests]
    unlike = list_unlike(facts[0], facts[1])
    if unlike and not force:
        raise UsageError(
            f"{first.run_id} and {second.run_id} were not measured alike; --force compares them all the same",
            *map(str, unlike),
        )
    tables = derive_tables(first), derive_tables(second)
    runs = first.run_id, second.run_id
    claims = comparison.make_rows(runs, choose_headlines(*manifests), *tables)
    side_by_side = comparison.pair_medians(runs, *tables)
    if not claims:
        raise UsageError(f"{first.run_id} and {second.run_id} have no headline figure of any target in common")
    heading = Heading(runs, list_subjects(facts[0], facts[1]), unlike, describe_status(manifests))
    return Comparison(heading, claims, side_by_side)


def choose_headlines(first: Manifest, second: Manifest) -> list[Headline]:
    """Return the headlines that both plans name; where there is none, those of the publish plan."""
    shared = [headline for headline in first.plan.headlines if headline in second.plan.headlines]
    return shared or list(load_plan("publish").headlines)


def describe_status(manifests: tuple[Manifest, Manifest]) -> list[str]:
    return [f"{manifest.run_id} is {manifest.status}" for manifest in manifests if manifest.status != "complete"]


def write_comparison(folder: Folder, found: Comparison) -> None:
    """Write the tables, the Markdown and the page."""
    folder.write_text("comparison.csv", format_table("comparison", found.claims))
    folder.write_text("side_by_side.csv", format_table("side_by_side", found.side_by_side))
    folder.write_text("comparison.md", format_comparison(found.heading, found.claims))
    folder.write_text(PAGE, format_comparison_page(found.heading, found.claims, found.side_by_side))
