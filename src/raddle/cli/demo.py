"""`raddle demo`: find, replay and fix a bug in the first example from the MAP-coverage paper."""

from __future__ import annotations

import json
import tempfile
from importlib import resources
from pathlib import Path

import click
from rich.console import Console
from rich.syntax import Syntax

from raddle import api
from raddle.cli.safe_text import safe_text
from raddle.cli.screen import console, show_result
from raddle.cli.target import load_scenario
from raddle.exit_code import ExitCode

FILE = "appender.py"


@click.command(short_help="Find, replay and fix a bug in an example.")
@click.option(
    "--into", type=click.Path(file_okay=False, path_type=Path), help="Write the example to this folder and keep it."
)
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON on stdout.")
def demo(into: Path | None, as_json: bool) -> int:
    """Find, explain, replay and fix the race between isAsSevereAsThreshold() and setThreshold(None) in Log4j's
    AppenderSkeleton."""
    if into is not None:
        into.mkdir(parents=True, exist_ok=True)
        return _show(into, as_json)
    with tempfile.TemporaryDirectory(prefix="raddle-demo-") as folder:
        return _show(Path(folder), as_json)


def _show(folder: Path, as_json: bool) -> int:
    source = resources.files("raddle.cli").joinpath(FILE).read_text(encoding="utf-8")
    file = folder / FILE
    file.write_text(source, encoding="utf-8")
    screen = Console(quiet=True) if as_json else console()

    _show_heading(screen, "1. A class that is meant to be thread-safe")
    lines = source.split("\n")
    start = lines.index("class AppenderSkeleton:") + 1
    end = lines.index("class FixedAppender(AppenderSkeleton):") - 2
    screen.print(Syntax(source, "python", line_numbers=True, line_range=(start, end), background_color="default"))

    _show_heading(screen, f"2. raddle explore {FILE}::scenario")
    found = api.explore(load_scenario(f"{file}::scenario"))
    show_result(screen, found, f"{FILE}::scenario")
    (finding,) = found.findings

    _show_heading(screen, "3. raddle replay runs the same schedule again: it fails the same way every time")
    assert finding.schedule is not None
    replayed = api.replay(load_scenario(f"{file}::scenario"), finding.schedule)
    assert replayed is not None
    screen.print(safe_text(f"{replayed.kind} in {replayed.thread}: {replayed.message}", style="bold red"))

    _show_heading(screen, "4. The fix reads the threshold once; raddle runs every interleaving of the fixed code")
    fixed = api.explore(load_scenario(f"{file}::fixed"), scheduler="exhaustive")
    show_result(screen, fixed, f"{FILE}::fixed")
    if as_json:
        result = {"found": found.as_json(), "replayed": replayed.as_json(), "fixed": fixed.as_json()}
        click.echo(json.dumps(result, indent=2))
    return ExitCode.SUCCESS


def _show_heading(screen: Console, text: str) -> None:
    screen.print()
    screen.print(safe_text(text, style="bold"))
    screen.print()
