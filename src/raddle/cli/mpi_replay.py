"""`raddle mpi replay`: run a message-passing program once with a given schedule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from raddle import config
from raddle.cli.mpi_options import (
    PROGRAM_CONTEXT,
    arguments_argument,
    program_argument,
    ranks_option,
    simulation_options,
)
from raddle.cli.options import given, json_option
from raddle.cli.options import story as story_option
from raddle.cli.output import survive_closed_pipe
from raddle.cli.safe_text import safe_text
from raddle.cli.screen import console, show_finding
from raddle.exit_code import ExitCode
from raddle.messages.replaying import replay
from raddle.mpi.options import Sends
from raddle.outcome import OutcomeKind
from raddle.schedule import Schedule
from raddle.story_length import StoryLength


@click.command("replay", short_help="Run a program once with a given schedule.", context_settings=PROGRAM_CONTEXT)
@ranks_option
@click.option("--schedule", required=True, metavar="TEXT", help="The schedule, as raddle printed it.")
@click.option(
    "--sends",
    type=click.Choice([one.value for one in Sends]),
    help="When standard sends complete [default: buffered].",
)
@simulation_options
@story_option
@json_option
@program_argument
@arguments_argument
def mpi_replay(
    program: str, arguments: tuple[str, ...], schedule: str, as_json: bool, story: str | None, **options: Any
) -> int:
    """Run PROGRAM once on N simulated ranks with a schedule, and show the outcome."""
    followed = Schedule.parse(schedule)
    project = config.load(Path.cwd())
    length = StoryLength.parse(story or project.story or StoryLength.SHORT.value)
    finding = replay(program, followed, argv=arguments, **given(**options))
    if as_json:
        found = {
            "target": program,
            "outcome": finding.kind if finding else OutcomeKind.PASSED,
            "schedule": str(followed),
            "findings": [finding.as_json()] if finding else [],
        }
        with survive_closed_pipe():
            click.echo(json.dumps(found, indent=2))
    elif finding is None:
        console().print(safe_text("the schedule ran to completion without a failure", style="bold green"))
    else:
        show_finding(console(), finding, program, length)
    return ExitCode.FINDING if finding else ExitCode.SUCCESS
