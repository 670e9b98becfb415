"""The `loopfloor` command: plan, fleet, load, record, report, in that order. See the README for the exit codes."""

import json
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from loopfloor import compare, report
from loopfloor.conform import CHECKS, Wire, run_checks
from loopfloor.doctor import examine
from loopfloor.errors import DifferenceError, ExitCode, InterruptError, LoopfloorError, TargetNotReadyError, UsageError
from loopfloor.measure.campaign import Campaign
from loopfloor.measure.fleet import open_stage
from loopfloor.measure.fleet.url import UrlStage
from loopfloor.measure.progress import TrialProgress
from loopfloor.plan import load_plan
from loopfloor.publish.comparison import print_comparison
from loopfloor.publish.findings import print_findings
from loopfloor.record import find_run, make_compared
from loopfloor.verify import find_differences

PLAIN_WIDTH = 130

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__)

Results = Annotated[Path, typer.Option("--results", envvar="LOOPFLOOR_RESULTS", help="where the runs are kept")]


@app.command()
def run(
    plan: Annotated[str, typer.Option(envvar="LOOPFLOOR_PLAN", help="smoke, standard, or a TOML file")] = "standard",
    targets: Annotated[str, typer.Option(envvar="LOOPFLOOR_TARGETS", help="a,b or (url stage) a=http://…,b=…")] = "",
    scenarios: Annotated[
        str, typer.Option(envvar="LOOPFLOOR_SCENARIOS", help="pair,ramp; the floor is always measured")
    ] = "",
    stage: Annotated[str, typer.Option(envvar="LOOPFLOOR_STAGE", help="compose, process or url")] = "process",
    results: Results = Path("results"),
    source: Annotated[
        Path,
        typer.Option(envvar="LOOPFLOOR_SOURCE", help="the source tree: its targets (process stage), its git revision"),
    ] = Path(),
    seed: Annotated[int | None, typer.Option(help="seed of the random arrivals")] = None,
) -> None:
    """Measure a plan on every target, and report."""
    console = make_console()
    names, urls = split_targets(targets)
    chosen = load_plan(plan, names, split_list(scenarios), seed)
    trials = list(chosen.order_trials())
    progress, page = TrialProgress(console, trials), report.LivePage(trials)
    campaign = Campaign(chosen, open_stage(stage, chosen.targets, urls, source), results, source, progress, page.show)
    all_ok = False
    try:
        campaign.run()
    finally:  # an interrupted run is reported too, as far as it got
        if campaign.record is not None:
            all_ok = report.publish(campaign.record, console)
            page_path = show_place(campaign.record.path / report.PAGE, results)
            console.print(f"page: {page_path}", highlight=False, soft_wrap=True)
    if not all_ok:
        raise typer.Exit(ExitCode.TRIALS_FAILED)


@app.command("report")
def report_run(
    name: Annotated[str, typer.Argument(metavar="RUN")],
    results: Results = Path("results"),
    alerts: Annotated[Path | None, typer.Option(help="a template of your own for alerts.rules.yml")] = None,
) -> None:
    """Derive everything again from the raw record of RUN (an id, a folder, latest or previous)."""
    try:
        template = None if alerts is None else alerts.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{alerts} cannot be read: {error}") from None
    report.publish(find_run(results, name), make_console(), template)


@app.command("verify")
def verify_run(name: Annotated[str, typer.Argument(metavar="RUN")], results: Results = Path("results")) -> None:
    """Derive every figure of RUN again and name each that differs from what is published (exit code 5)."""
    run = find_run(results, name)
    differences = list(find_differences(run))
    if differences:
        raise DifferenceError(*differences)
    make_console().print(f"{run.path}: every figure follows from the raw files", highlight=False, soft_wrap=True)


@app.command("compare")
def compare_two(
    first: Annotated[str, typer.Argument(metavar="A")],
    second: Annotated[str, typer.Argument(metavar="B")],
    results: Results = Path("results"),
    force: Annotated[
        bool, typer.Option("--force", help="compare unlike runs all the same; the heading says so")
    ] = False,
    fail_on: Annotated[
        Literal["slower"] | None, typer.Option(help="exit 5 where B is claimed to be slower in any headline figure")
    ] = None,
) -> None:
    """Put run B beside run A, and say of each headline figure whether B is faster, slower or not resolved."""
    runs = find_run(results, first), find_run(results, second)
    found = compare.compare_runs(*runs, force=force)
    folder = make_compared(results, *runs)
    compare.write_comparison(folder, found)
    console = make_console()
    print_comparison(console, found.heading, found.claims)
    console.print(f"page: {show_place(folder.path / compare.PAGE, results)}", highlight=False, soft_wrap=True)
    if fail_on and (slower := found.list_slower()):
        raise DifferenceError(*slower)


@app.command("doctor")
def examine_here(
    as_json: Annotated[bool, typer.Option("--json", help="one JSON array, for scripts")] = False,
    results: Results = Path("results"),
) -> None:
    """Say whether this machine is fit to measure on (exit code 4 where it is not)."""
    findings = list(examine(results))
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        print_findings(make_console(), findings)
    if any(finding.verdict == "unfit" for finding in findings):
        raise typer.Exit(ExitCode.TRIALS_FAILED)


@app.command("conform")
def conform_target(
    url: Annotated[str, typer.Argument(metavar="URL", help="http://host:port of a running target")],
) -> None:
    """Check whether a target keeps the contract; names each difference (exit code 5)."""
    console = make_console()
    stage = UrlStage({"target": url})
    address = stage.start("target")
    wire, broken = Wire(address.host, address.port), 0
    if not wire.answers():
        raise TargetNotReadyError(f"{url} does not answer /healthz")
    for check, reason in run_checks(CHECKS, wire):
        console.print(f"{'ok' if reason is None else 'BROKEN':<7} {check}", highlight=False)
        if reason is not None:
            broken += 1
            console.print(f"        {reason}", highlight=False, markup=False, soft_wrap=True)
    if broken:
        raise DifferenceError(f"{url} differs from the contract in {broken} of {len(CHECKS)} checks")


def show_place(path: Path, results: Path) -> Path:
    """Return a path as seen from where `results` is: in a container its mount point is not the reader's path."""
    return Path(results.name) / path.relative_to(results)


def split_targets(text: str) -> tuple[list[str], dict[str, str]]:
    """Return names, and the URLs where each name has one. Raises UsageError for a mix."""
    parts = split_list(text)
    urls = dict(part.split("=", 1) for part in parts if "=" in part)
    if urls and len(urls) < len(parts):
        raise UsageError(f"--targets {text}: either every target has a URL or none has")
    return list(urls) or parts, urls


def split_list(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def make_console() -> Console:
    """A pipe has no width of its own, and 80 columns would fold the table."""
    console = Console()
    if console.is_terminal:
        return console
    columns = os.environ.get("COLUMNS", "")
    return Console(width=int(columns) if columns.isdigit() and int(columns) > 0 else PLAIN_WIDTH)


def raise_interrupt(number: int, _frame: object) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the clean-up is short; a second signal must not cut it
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise InterruptError(ExitCode.INTERRUPTED if number == signal.SIGINT else ExitCode.TERMINATED)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command and leave with its exit code; every fault is one message that lists all findings."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, raise_interrupt)
    try:
        app(arguments)
    except LoopfloorError as error:
        for finding in error.findings:
            print(f"loopfloor: {finding}", file=sys.stderr)
        sys.exit(error.exit_code)
    except InterruptError as interrupt:
        print("loopfloor: interrupted; what was done is kept", file=sys.stderr)
        sys.exit(interrupt.exit_code)


if __name__ == "__main__":
    main()
