"""`raddle diff`: compare the coverage of two data files."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import click
from rich.console import Console

from raddle.cli.options import only_criteria_option
from raddle.cli.report import chosen, opened, screen_for_data
from raddle.cli.safe_text import safe_text
from raddle.exit_code import ExitCode
from raddle.report.coverage import rows
from raddle.report.difference import GAINED, GONE, IMPOSSIBLE, LOST, CriterionComparison, Difference, difference
from raddle.report.missing import LIMIT
from raddle.report.numbers import out_of_text
from raddle.wording import count

_STYLES = {LOST: "red", GAINED: "green", GONE: "dim", IMPOSSIBLE: "dim"}
_HEADINGS = {
    LOST: "lost",
    GAINED: "gained",
    GONE: "removed with the code",
    IMPOSSIBLE: "no longer possible, given the observed locks",
}


@click.command(short_help="Compare the coverage of two data files.")
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@only_criteria_option
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=LIMIT,
    show_default=True,
    help="Maximum number of requirements to list per group (gained, lost and so on).",
)
@click.option(
    "--fail-on-loss",
    is_flag=True,
    help="Exit with code 6 if a requirement that is covered in A could be covered in B but is not.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the difference as JSON on stdout.")
def diff(before: str, after: str, criteria: str | None, limit: int, fail_on_loss: bool, as_json: bool) -> int:
    """List the requirements that are covered in only one of the data files A and B. If the source has changed between
    the two measurements, requirements are matched by file, function, operation and variable.

    \b
    Exit codes: 0 success, 5 a data file is empty, 6 coverage was lost (with --fail-on-loss).
    """
    old, new = opened(Path(before)), opened(Path(after))
    if old is None or new is None:
        return ExitCode.NOTHING_TO_DO
    names = None
    if criteria is not None:
        measured = {row.name: row for row in [*rows(old), *rows(new)]}
        names = [row.name for row in chosen(list(measured.values()), criteria.split(","))]
    found = difference(old, new, names=names, limit=limit)
    if as_json:
        click.echo(json.dumps({"before": before, "after": after, **found.as_json()}, indent=2))
    else:
        show(screen_for_data(), found)
    if not found.criteria:
        click.echo("nothing to compare: no criterion was measured", err=True)
        return ExitCode.NOTHING_TO_DO
    return ExitCode.BELOW_THRESHOLD if fail_on_loss and found.lost else ExitCode.SUCCESS


def show(screen: Console, found: Difference) -> None:
    """Print the difference in human-readable form."""
    before, after = found.executions
    screen.print(safe_text(f"before: {count(before, 'execution')}, after: {count(after, 'execution')}", style="bold"))
    if found.changed:
        screen.print(safe_text(f"changed between the two measurements: {', '.join(found.changed)}"))
    for one in found.criteria:
        screen.print()
        _show_criterion(screen, one)
    for what, headlines in found.findings.items():
        if headlines:
            screen.print()
            heading = "new findings" if what == "new" else "findings that no longer occur"
            screen.print(safe_text(f"{heading}:", style="bold red" if what == "new" else "bold"))
        for headline in headlines[:LIMIT]:
            screen.print(safe_text(f"  {headline}"))
        if len(headlines) > LIMIT:
            screen.print(safe_text(f"  ... and {len(headlines) - LIMIT:,} more"))
    if found.lost and after < before:
        screen.print()
        screen.print(
            safe_text(
                "The second file has fewer executions: more executions may cover the lost requirements again.",
                style="yellow",
            )
        )


def _show_criterion(screen: Console, one: CriterionComparison) -> None:
    before, after = map(out_of_text, one.rows)
    screen.print(
        safe_text(f"{one.name}: {one.before:,}{before} covered before, {one.after:,}{after} after", style="bold")
    )
    if one.remark:
        screen.print(safe_text(f"  {one.remark}", style="yellow"))
    elif not any(one.numbers.values()):
        screen.print(safe_text("  no difference"))
    for what, heading in _HEADINGS.items():
        listed = [change for change in one.changes if change.what == what]
        if listed:
            screen.print(safe_text(f"  {heading}: {one.numbers[what]:,}", style=_STYLES[what]))
        for change, times in Counter(listed).items():  # accesses on the same line are described by the same sentence
            alike = f" ({times} times: these lines have several accesses)" if times > 1 else ""
            screen.print(safe_text(f"    {change.file}:{change.line}: {change.sentence}{alike}"))
        if one.numbers[what] > len(listed):
            screen.print(safe_text(f"    ... and {one.numbers[what] - len(listed):,} more; raise --limit to see them"))
