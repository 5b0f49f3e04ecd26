"""`raddle criteria`: what can be measured."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from raddle.cli.report import screen_for_data
from raddle.criteria import DEFAULT, NAMES, criterion_class


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON on stdout.")
def criteria(as_json: bool) -> int:
    """List every criterion: what its requirements are and when one is covered, what it costs, and whether its
    total can be known."""
    listed = {name: _described(name) for name in NAMES}
    if as_json:
        click.echo(json.dumps({"criteria": listed}, indent=2))
        return 0
    screen = screen_for_data()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("name", "family", "cost", "total", "a requirement, and when it is covered"):
        table.add_column(heading, no_wrap=heading in ("name", "family"))
    between = "\n" if screen.is_terminal else ": "  # in a pipe, a line for each
    for name, about in listed.items():
        table.add_row(
            Text(name, style="bold" if about["default"] else ""),
            about["family"],
            about["cost"],
            "known" if about["total_known"] else "estimated",
            Text(f"{about['shape']}{between}{about['summary']}"),
        )
    screen.print(table, soft_wrap=False)
    screen.print()
    screen.print(Text(f"default: {', '.join(DEFAULT)}; every: all of them. avio-star is avio*."))
    for paper in dict.fromkeys(f"{about['family']}: {about['paper']}" for about in listed.values()):
        screen.print(Text(paper, style="dim"))
    return 0


def _described(name: str) -> dict[str, Any]:
    kind = criterion_class(name)
    return {
        "family": kind.family,
        "paper": kind.paper,
        "shape": kind.shape,
        "summary": kind.summary,
        "cost": kind.cost,
        "total_known": kind.total_known,
        "default": name in DEFAULT,
    }
