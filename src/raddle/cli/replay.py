"""`raddle replay`: run a scenario once with a given schedule."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Any

import click

from raddle import api, config
from raddle.cli.options import given, shared_options
from raddle.cli.options import story as story_option
from raddle.cli.output import survive_closed_pipe
from raddle.cli.safe_text import safe_text
from raddle.cli.screen import console, show_finding
from raddle.cli.target import load_scenario, load_setup
from raddle.exit_code import ExitCode
from raddle.outcome import OutcomeKind
from raddle.schedule import Schedule
from raddle.story_length import StoryLength

_KEYS = (
    "source",
    "isolate",
    "timeouts",
    "wakeups",
    "step_limit",
    "patience_seconds",
)  # keys of [tool.raddle] that apply to this command


@click.command(short_help="Run a scenario once with a given schedule.")
@click.argument("target")
@click.argument("schedule")
@click.option("--setup", metavar="NAME", help="Function in the scenario's file to call before the execution.")
@story_option
@shared_options
def replay(target: str, schedule: str, as_json: bool, setup: str | None, story: str | None, **options: Any) -> int:
    """Run the scenario TARGET (file.py::function) once with SCHEDULE, and show the outcome."""
    followed = Schedule.parse(schedule)
    project = config.load(Path.cwd())
    settings = {k: v for k, v in project.options().items() if k in _KEYS} | given(**options)
    length = StoryLength.parse(story or project.story or StoryLength.SHORT.value)
    scenario = load_scenario(target)
    if setup is not None:
        settings["setup"] = load_setup(setup, target)
    with redirect_stdout(sys.stderr) if as_json else nullcontext():  # stdout is reserved for the JSON
        finding = api.replay(scenario, followed, **{"patience_seconds": None, **settings})
    if as_json:
        outcome = finding.as_json() if finding else None
        found = {
            "target": target,
            "outcome": finding.kind if finding else OutcomeKind.PASSED,
            "schedule": str(followed),
        }
        with survive_closed_pipe():
            click.echo(json.dumps({**found, "findings": [outcome] if outcome else []}, indent=2))
    elif finding is None:
        console().print(safe_text("the schedule ran to completion without a failure", style="bold green"))
    else:
        show_finding(console(), finding, target, length)
    return ExitCode.FINDING if finding else ExitCode.SUCCESS
