"""`raddle report`: show coverage, missing requirements, warnings and findings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import click
from rich.console import Console

from raddle import config
from raddle.cli.options import all_warnings_option, data_file_option, only_criteria_option
from raddle.cli.safe_text import safe_text
from raddle.cli.screen import show_story, show_table
from raddle.criteria import GROUPS, resolve
from raddle.errors import UsageError
from raddle.exit_code import ExitCode
from raddle.report.annotations import annotate
from raddle.report.coverage import Row, in_order, rows
from raddle.report.junit import junit
from raddle.report.missing import LIMIT
from raddle.report.plain import plain
from raddle.report.stored_findings import stored_findings
from raddle.report.summary import Summary, summarize
from raddle.report.tables import file_tables, missing_lines, pattern_table
from raddle.report.threshold import BELOW, NOTHING, Threshold, Verdict, judge
from raddle.store import DATA_FILE, Contents, NoDataError, read
from raddle.wording import count

TEXT, JSON, GITHUB, JUNIT = FORMATS = ("text", "json", "github", "junit")
MAX_STORIES = 10  # maximum number of findings shown with their story; for the others, only headlines are shown
PIPED_WIDTH = 500  # characters; wide enough that no table row wraps


@click.command(short_help="Show coverage, missing requirements, warnings and findings.")
@data_file_option
@only_criteria_option
@click.option(
    "--missing", "gaps_of", metavar="NAMES", help="List the missing requirements of these criteria as sentences."
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=LIMIT,
    show_default=True,
    help="Maximum number of missing requirements to list per criterion.",
)
@click.option(
    "--fail-under",
    multiple=True,
    metavar="NAME=PERCENT",
    help="Exit with code 6 if a criterion's coverage is below a percentage, as in map=80 "
    "[default: fail_under in tool.raddle]. Repeatable.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="text, json, github (annotations for GitHub Actions) or junit (XML) [default: text].",
)
@all_warnings_option
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON on stdout, as --format json does.")
def report(
    data_file: str | None,
    criteria: str | None,
    gaps_of: str | None,
    limit: int,
    fail_under: Sequence[str],
    form: str | None,
    verbose: bool | None,
    as_json: bool,
) -> int:
    """Show the coverage of each criterion and source file, the warnings and the findings. With --missing, list the
    missing requirements instead of files, warnings and findings.

    \b
    Exit codes: 0 success, 5 nothing was measured or covered, 6 coverage below a threshold.
    """
    if as_json and form not in (None, JSON):
        raise click.UsageError(f"--json and --format {form} cannot be used together")
    form = JSON if as_json else form or TEXT
    thresholds = [Threshold.parse(text) for text in fail_under or _project_thresholds()]
    contents = opened(data_path(data_file))
    if contents is None:
        return ExitCode.NOTHING_TO_DO
    measured = rows(contents)
    verdicts = judge(chosen(measured, [threshold.criterion for threshold in thresholds]), thresholds)
    listed = chosen(measured, gaps_of.split(",")) if gaps_of is not None else []
    included = chosen(measured, criteria.split(",")) if criteria is not None else listed or measured
    summary = summarize(contents, included, missing_of=listed, limit=limit)
    if form == JSON:
        click.echo(json.dumps(summary.as_json(), indent=2))
    elif form == GITHUB:
        for line in annotate(contents, verdicts):
            click.echo(line.encode())
    elif form == JUNIT:
        judged = _by_criterion(thresholds, verdicts)
        also = [row for row in measured if row.name in judged and row not in included]
        click.echo(junit(contents, [*included, *also], judged).encode(), nl=False)
    else:
        verbose = verbose or bool(config.load(Path.cwd()).verbose)
        with_patterns = criteria is not None or gaps_of is not None
        show(screen_for_data(), summary, with_patterns=with_patterns, verbose=verbose)
        if not summary.missing:
            show_findings(screen_for_data(), contents)
    for sentence in [verdict.sentence for verdict in verdicts] + [summary.nothing] * bool(summary.nothing):
        click.echo(sentence, err=True)
    outcomes = {verdict.outcome for verdict in verdicts}
    if BELOW in outcomes:
        return ExitCode.BELOW_THRESHOLD
    return ExitCode.NOTHING_TO_DO if summary.nothing or NOTHING in outcomes else ExitCode.SUCCESS


def opened(path: Path) -> Contents | None:
    """Return the contents of a data file; if there are none, print an error on stderr and return None."""
    try:
        return read(path)
    except NoDataError as error:
        click.echo(f"raddle: {error} [{error.slug}]", err=True)
        return None


def _by_criterion(thresholds: Sequence[Threshold], verdicts: Sequence[Verdict]) -> dict[str, list[Verdict]]:
    found: dict[str, list[Verdict]] = {}
    for threshold, verdict in zip(thresholds, verdicts, strict=True):
        found.setdefault(threshold.criterion, []).append(verdict)
    return found


def data_path(given: str | None) -> Path:
    """Return the path of the data file: from the command line if given, otherwise from [tool.raddle] or the default."""
    return Path(given or config.load(Path.cwd()).data_file or DATA_FILE)


def _project_thresholds() -> tuple[str, ...]:
    thresholds = config.load(Path.cwd()).fail_under or ()
    return (thresholds,) if isinstance(thresholds, str) else thresholds


def chosen(measured: Sequence[Row], names: Iterable[str]) -> list[Row]:
    """Return the rows with these names, in the order of the names.

    The name of a group selects all measured criteria in that group.
    """
    by_name = {row.name: row for row in measured}
    result: dict[str, Row] = {}
    for name in filter(None, (name.strip() for name in names)):
        meant = (name,) if name in by_name else resolve(name)
        if name.lower() not in GROUPS and meant[0] not in by_name:
            has = (
                f"the data file contains {', '.join(in_order(by_name))}"
                if by_name
                else "the data file contains no criteria"
            )
            raise UsageError(
                "not-measured", f"{meant[0]} was not measured: {has}; name the criterion with --criteria and run again"
            )
        result.update({one: by_name[one] for one in meant if one in by_name})
    return list(result.values())


def screen_for_data() -> Console:
    """Return a console on stdout: colored on a terminal, plain and unwrapped in a pipe."""
    screen = Console(soft_wrap=True, highlight=False)
    return (
        screen if screen.is_terminal else Console(width=PIPED_WIDTH, soft_wrap=True, highlight=False, color_system=None)
    )


def show(screen: Console, summary: Summary, *, with_patterns: bool = False, verbose: bool = False) -> None:
    """Print a report in human-readable form; `with_patterns` adds a table of the patterns of the `map` criterion."""
    screen.print(safe_text(f"{count(summary.runs, 'run')}, {count(summary.executions, 'execution')}", style="bold"))
    patterns = summary.patterns if with_patterns else ()
    show_table(screen, summary.rows, more=[one.row for one in patterns])
    if patterns:
        screen.print()
        screen.print(pattern_table(patterns), soft_wrap=False)
    for some in summary.missing:
        screen.print()
        if len(summary.missing) > 1:
            screen.print(safe_text(f"missing from {some.criterion}", style="bold"))
        for line in missing_lines(some):
            screen.print(safe_text(line))
    if not summary.missing:
        _show_rest(screen, summary, verbose=verbose)
    for note in (
        summary.outdated if summary.missing else summary.notes
    ):  # line numbers listed by --missing may be outdated
        screen.print(safe_text(f"note: {note}", style="yellow"))


def _show_rest(screen: Console, summary: Summary, *, verbose: bool) -> None:
    for table in file_tables(summary.files, summary.rows):
        screen.print()
        screen.print(table, soft_wrap=False)
    if summary.warnings:
        screen.print()
        screen.print(safe_text("warnings", style="bold yellow"))
        for line in summary.warning_lines(verbose=verbose):
            screen.print(safe_text(f"  {line}"))


def show_findings(screen: Console, contents: Contents) -> None:
    """Print the stories of the first findings and the headlines of the others."""
    number = len(contents.findings)
    if not number:
        return
    screen.print()
    screen.print(safe_text(f"{count(number, 'finding')}:", style="bold red"))
    findings = stored_findings(contents)
    for place, one in enumerate(islice(findings, MAX_STORIES)):
        if place:
            screen.print()
        show_story(screen, plain(one.story), indent="  ")
    if number > MAX_STORIES:
        screen.print()
    for one in islice(findings, LIMIT):
        screen.print(safe_text(f"  {one.headline}"))
    if number > MAX_STORIES + LIMIT:
        screen.print(safe_text(f"  ... and {number - MAX_STORIES - LIMIT:,} more; `raddle json` lists them all"))
