"""`raddle criteria`: list the criteria that can be measured."""

from __future__ import annotations

import json
import textwrap
from typing import Any

import click

from raddle.cli.report import screen_for_data
from raddle.cli.safe_text import safe_text
from raddle.criteria import DEFAULT, NAMES, criterion_class
from raddle.exit_code import ExitCode

PIPED_WIDTH = 80  # characters per line of piped output
MAX_WIDTH = 100  # maximum number of characters per line on a terminal; longer lines are hard to read
MIN_WIDTH = 40  # minimum number of characters per line, even on a narrower terminal


@click.command(short_help="List the criteria that can be measured.")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON on stdout.")
def criteria(as_json: bool) -> int:
    """List all criteria.

    For each criterion, show what a requirement is, when it is covered, how expensive the criterion is to
    measure, and whether the total is known or estimated.
    """
    listed = {name: _described(name) for name in NAMES}
    if as_json:
        click.echo(json.dumps({"criteria": listed}, indent=2))
        return ExitCode.SUCCESS
    screen = screen_for_data()
    width = min(screen.width, MAX_WIDTH) if screen.is_terminal else PIPED_WIDTH
    for name, about in listed.items():
        screen.print(safe_text(name, style="bold"), safe_text(f"({_in_short(about)})", style="dim"))
        for line in _folded(f"requirement: {about['shape']}", width) + _folded(f"covered when {_clause(about)}", width):
            screen.print(safe_text(line))
    screen.print()
    for line in _folded(
        f"groups: default ({', '.join(DEFAULT)}), every (all criteria for threads) and messages (all criteria for "
        "message-passing programs). "
        "You can write -star for *: avio-star means avio*.",
        width,
        indent="",
    ):
        screen.print(safe_text(line))
    for paper in dict.fromkeys(f"{about['family']}: {about['paper']}" for about in listed.values()):
        for line in _folded(paper, width, indent=""):
            screen.print(safe_text(line, style="dim"))
    return ExitCode.SUCCESS


def _in_short(about: dict[str, Any]) -> str:
    total = "total known" if about["total_known"] else "total estimated"
    return "; ".join([about["family"], about["cost"], total, *(["default"] if about["default"] else [])])


def _clause(about: dict[str, Any]) -> str:
    summary: str = about["summary"]
    return summary[0].lower() + summary[1:]


def _folded(text: str, width: int, *, indent: str = "    ") -> list[str]:
    folds = textwrap.TextWrapper(max(width, MIN_WIDTH), break_on_hyphens=False)
    folds.initial_indent, folds.subsequent_indent = indent, indent + "  "
    return folds.wrap(text)


def _described(name: str) -> dict[str, Any]:
    kind = criterion_class(name)
    return {
        "family": kind.family,
        "paper": kind.paper,
        "shape": str(kind.shape),
        "summary": kind.summary,
        "cost": kind.cost,
        "total_known": kind.total_known,
        "default": name in DEFAULT,
    }
