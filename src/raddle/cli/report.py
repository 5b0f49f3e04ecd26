"""`raddle report`: what was covered, out of how much, and what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from raddle import config
from raddle.criteria import GROUPS, resolve
from raddle.errors import UsageError
from raddle.report.coverage import Row, in_order, rows
from raddle.report.missing import LIMIT
from raddle.report.summary import Summary, count, summarize
from raddle.report.tables import criteria_table, file_tables, legend, missing_lines
from raddle.report.threshold import BELOW, NOTHING, Threshold, judge
from raddle.store import DATA_FILE, NoDataError, read

FINE, NOTHING_TO_DO, BELOW_THRESHOLD = 0, 5, 6
PIPED_WIDTH = 500  # characters; wide enough that no line of a table is broken


@click.command()
@click.option("--data-file", metavar="FILE", help=f"Where the data is [default: {DATA_FILE}].")
@click.option("--criteria", metavar="NAMES", help="Only these, with commas between [default: all that were measured].")
@click.option("--missing", "gaps_of", metavar="NAMES", help="List what was not covered, in sentences.")
@click.option("--limit", type=click.IntRange(min=1), default=LIMIT, show_default=True, help="Sentences per criterion.")
@click.option(
    "--fail-under",
    multiple=True,
    metavar="NAME=PERCENT",
    help="Exit with 6 if less of the criterion was covered. Repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON on stdout.")
def report(
    data_file: str | None,
    criteria: str | None,
    gaps_of: str | None,
    limit: int,
    fail_under: Sequence[str],
    as_json: bool,
) -> int:
    """Say what was covered of each criterion and in each source file; with --missing, what was not.

    \b
    Exit codes: 0 fine, 5 nothing was measured or nothing can be covered, 6 below a threshold.
    """
    thresholds = [Threshold.parse(text) for text in fail_under]
    try:
        contents = read(data_path(data_file))
    except NoDataError as error:
        click.echo(f"raddle: {error} [{error.slug}]", err=True)
        return NOTHING_TO_DO
    measured = rows(contents)
    verdicts = judge(chosen(measured, [threshold.criterion for threshold in thresholds]), thresholds)
    listed = chosen(measured, gaps_of.split(",")) if gaps_of is not None else []
    asked = chosen(measured, criteria.split(",")) if criteria is not None else listed or measured
    summary = summarize(contents, asked, missing_of=listed, limit=limit)
    if as_json:
        click.echo(json.dumps(summary.as_json(), indent=2))
    else:
        show(screen_for_data(), summary)
    for sentence in [verdict.sentence for verdict in verdicts] + [summary.nothing] * bool(summary.nothing):
        click.echo(sentence, err=True)
    outcomes = {verdict.outcome for verdict in verdicts}
    if BELOW in outcomes:
        return BELOW_THRESHOLD
    return NOTHING_TO_DO if summary.nothing or NOTHING in outcomes else FINE


def data_path(given: str | None) -> Path:
    """The data file: as the command line says, else as [tool.raddle] does."""
    return Path(given or config.load(Path.cwd()).data_file or DATA_FILE)


def chosen(measured: Sequence[Row], names: Iterable[str]) -> list[Row]:
    """Those that are named, in that order. A word for many means those of them that were measured."""
    by_name = {row.name: row for row in measured}
    result: dict[str, Row] = {}
    for name in filter(None, (name.strip() for name in names)):
        meant = (name,) if name in by_name else resolve(name)
        if name.lower() not in GROUPS and meant[0] not in by_name:
            has = f"the data file has {', '.join(in_order(by_name))}" if by_name else "the data file has no criterion"
            raise UsageError(
                "not-measured", f"{meant[0]} was not measured: {has}; name it with --criteria and run again"
            )
        result.update({one: by_name[one] for one in meant if one in by_name})
    return list(result.values())


def screen_for_data() -> Console:
    """A console for what the user asked to see: in colour on a terminal, plain and unbroken in a pipe."""
    screen = Console(soft_wrap=True, highlight=False)
    return (
        screen if screen.is_terminal else Console(width=PIPED_WIDTH, soft_wrap=True, highlight=False, color_system=None)
    )


def show(screen: Console, summary: Summary) -> None:
    """For people."""
    screen.print(Text(f"{count(summary.runs, 'run')}, {count(summary.executions, 'execution')}", style="bold"))
    screen.print()
    screen.print(criteria_table(summary.rows), soft_wrap=False)
    for line in legend(summary.rows):
        screen.print(Text(f"  {line}", style="dim"))
    for some in summary.missing:
        screen.print()
        for line in missing_lines(some):
            screen.print(Text(line))
    if not summary.missing:
        _show_rest(screen, summary)


def _show_rest(screen: Console, summary: Summary) -> None:
    for table in file_tables(summary.files, summary.rows):
        screen.print()
        screen.print(table, soft_wrap=False)
    if summary.warnings:
        screen.print()
        screen.print(Text("warnings", style="bold yellow"))
        for sentence in summary.sentences:
            screen.print(Text(f"  {sentence}"))
    if summary.findings:
        screen.print()
        screen.print(Text(f"{count(len(summary.findings), 'finding')}:", style="bold red"))
        for finding in summary.findings:
            screen.print(Text(f"  {finding.get('kind')}: {str(finding.get('message')).splitlines()[0]}"))
    for note in summary.notes:
        screen.print(Text(f"note: {note}", style="yellow"))
