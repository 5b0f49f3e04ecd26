"""`raddle mpi run`: run a message-passing program once, and measure what it covers."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from raddle import config
from raddle.cli.mpi_options import (
    PROGRAM_CONTEXT,
    arguments_argument,
    measuring_options,
    program_argument,
    ranks_option,
    simulation_options,
)
from raddle.cli.options import given, json_option
from raddle.cli.options import story as story_option
from raddle.cli.output import exit_code, survive_closed_pipe
from raddle.cli.screen import console, show_coverage, show_result
from raddle.execute.interrupts import termination_interrupts
from raddle.messages.running import run
from raddle.mpi.options import Sends
from raddle.report.story import replay_command
from raddle.stop_reason import StopReason
from raddle.store import DATA_FILE
from raddle.story_length import StoryLength


@click.command(
    "run",
    short_help="Run a message-passing program once, and measure what it covers.",
    context_settings=PROGRAM_CONTEXT,
)
@ranks_option
@click.option("--seed", type=click.IntRange(min=0), help="Seed for the order of messages [default: 1].")
@click.option(
    "--sends",
    type=click.Choice([one.value for one in Sends]),
    help="When standard sends complete [default: buffered].",
)
@simulation_options
@measuring_options
@story_option
@json_option
@program_argument
@arguments_argument
def mpi_run(program: str, arguments: tuple[str, ...], as_json: bool, story: str | None, **options: Any) -> int:
    """Run PROGRAM once on N simulated ranks, show what the ranks print, and add the coverage of the structural criteria
    to the data file."""
    settings = given(**options)
    settings.setdefault("data_file", DATA_FILE)
    project = config.load(Path.cwd())
    length = StoryLength.parse(story or project.story or StoryLength.SHORT.value)
    with ExitStack() as stack:
        stack.enter_context(termination_interrupts())
        measured = run(program, argv=arguments, **settings)
    result = measured.result
    with survive_closed_pipe():
        if as_json:
            data = {"target": program, "output": measured.output, **result.as_json()}
            for one, finding in zip(data["findings"], result.findings, strict=True):
                one["replay"] = None if finding.schedule is None else replay_command(finding, program)
            click.echo(json.dumps(data, indent=2))
        else:
            click.echo(measured.output, nl=False)
    if not as_json:
        screen = console()
        show_result(screen, result, program, length)
        if result.record is not None:
            show_coverage(screen, result.record, settings["data_file"], stored=not result.not_stored)
    interrupted = result.stopped_because is StopReason.INTERRUPTED
    return exit_code(found=bool(result.findings), interrupted=interrupted, not_stored=result.not_stored)
