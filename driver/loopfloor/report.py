"""From the tables to what is published: text, pictures and the page of a run; and what a terminal shows."""

from collections.abc import Sequence

from rich.console import Console

from loopfloor.derive import derive_tables
from loopfloor.errors import UsageError
from loopfloor.judge.doubts import DOUBTS
from loopfloor.judge.tables.reading import Row
from loopfloor.model import Trial, TrialRecord
from loopfloor.publish.alerts import format_alerts
from loopfloor.publish.charts import Picture, make_pictures
from loopfloor.publish.charts.draw import draw_png, draw_svg
from loopfloor.publish.datapackage import format_package
from loopfloor.publish.page import Page, format_page, format_progress
from loopfloor.publish.summary import format_markdown
from loopfloor.publish.tables import format_table
from loopfloor.publish.terminal import print_report
from loopfloor.record import RunFolder

ALERTS_TEMPLATE = "alerts.template.yml"  # in a run that was given one of its own
PAGE = "report.html"


def derive_files(run: RunFolder, tables: dict[str, list[Row]]) -> dict[str, str]:
    """Return every derived file by its name; the same raw files give the same text."""
    files = {f"{name}.csv": format_table(name, rows) for name, rows in tables.items()}
    conditions = describe_conditions(run)
    files["datapackage.json"] = format_package(run.run_id, run.read_manifest().started_at, conditions, files)
    files["alerts.rules.yml"] = derive_alerts(run, tables, run.read_text(ALERTS_TEMPLATE))
    files["summary.md"] = format_markdown(run.run_id, conditions, tables, list_notes(run, tables))
    return files


def derive_page(
    run: RunFolder, tables: dict[str, list[Row]], pictures: Sequence[Picture], drawings: dict[str, str]
) -> str:
    """Return the page with the drawings that there are."""
    files = [f"{name}.csv" for name in tables]
    page = Page(
        run_id=run.run_id,
        status=run.read_manifest().status,
        conditions=describe_conditions(run),
        notes=list_notes(run, tables),
        files=[*files, "summary.md", "alerts.rules.yml", "datapackage.json", "manifest.json", "trials.jsonl"],
    )
    return format_page(page, tables, pictures, drawings)


def derive_pictures(run: RunFolder, tables: dict[str, list[Row]]) -> list[Picture]:
    return make_pictures(tables, run.read_manifest().plan.headlines)


def derive_alerts(run: RunFolder, tables: dict[str, list[Row]], template: str | None) -> str:
    """Return the alert rules. Raises UsageError where the template gives no rules file."""
    try:
        return format_alerts(run.run_id, tables, template)
    except ValueError as error:
        raise UsageError(f"the template of the alert rules cannot be used: {error}") from None


def publish(run: RunFolder, console: Console | None = None, alerts_template: str | None = None) -> bool:
    """Write every derived file of a run, print its tables where a console is given; return whether all is ok.

    A template of the alert rules that works is kept in the run. Raises UsageError, with nothing written, for one that
    does not.
    """
    tables = derive_tables(run)
    if alerts_template is not None:
        derive_alerts(run, tables, alerts_template)
        run.write_text(ALERTS_TEMPLATE, alerts_template)
    for name, text in derive_files(run, tables).items():
        run.write_text(name, text)
    pictures = derive_pictures(run, tables)
    drawings = {panel.name: draw_svg(panel) for picture in pictures for panel in picture.panels}
    for name, svg in drawings.items():
        run.write_text(f"charts/{name}.svg", svg)
        run.write_bytes(f"charts/{name}.png", draw_png(svg))
    run.write_text(PAGE, derive_page(run, tables, pictures, drawings))
    if console is not None:
        print_report(console, tables, list_notes(run, tables))
    return all(row.get("status", "ok") == "ok" for rows in tables.values() for row in rows)


class LivePage:
    """The page of a run that goes on: what is done so far."""

    def __init__(self, planned: Sequence[Trial]) -> None:
        self._planned = planned
        self._conditions = ""

    def show(self, run: RunFolder, done: Sequence[TrialRecord]) -> None:
        self._conditions = self._conditions or describe_conditions(run)
        run.write_text(PAGE, format_progress(run.run_id, self._conditions, self._planned, done))


def list_notes(run: RunFolder, tables: dict[str, list[Row]]) -> list[str]:
    return [*describe_gaps(run), *describe_doubts(tables), *describe_failures(run.read_trials())]


def describe_doubts(tables: dict[str, list[Row]]) -> Sequence[str]:
    found = {code for rows in tables.values() for row in rows for code in str(row.get("doubts") or "").split(";")}
    return [f"{doubt.code}: {doubt.sentence} {doubt.next_step}" for code, doubt in DOUBTS.items() if code in found]


def describe_failures(records: Sequence[TrialRecord]) -> Sequence[str]:
    return [f"{record.trial.id} failed: {record.reason}" for record in records if record.status != "ok"]


def describe_conditions(run: RunFolder) -> str:
    manifest = run.read_manifest()
    host, isolation, plan = manifest.host, manifest.isolation, manifest.plan
    runtimes = ", ".join(map(manifest.describe_target, manifest.targets))
    where = f"{host.cpu_model}, {host.cores} cores, kernel {host.kernel}, {host.path}"
    pinned = f"driver on cores {isolation.driver_cpus}, targets on cores {isolation.target_cpus}, "
    cores = f"{pinned if isolation.target_cpus else ''}isolation {isolation.mode}"
    return f"Plan {plan.name}, {manifest.started_at}; {runtimes}; {where}; {cores}."


def describe_gaps(run: RunFolder) -> list[str]:
    """Return what is missing from a run that did not come to its end."""
    manifest = run.read_manifest()
    planned, done = len(list(manifest.plan.order_trials())), len(run.read_trials())
    if manifest.status == "complete" and done == planned:
        return []
    return [f"{manifest.status}: {done} of {planned} trials were done; the rest is missing from every table."]
