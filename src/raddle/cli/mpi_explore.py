"""`raddle mpi explore`: search the message orders of a program for failures."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from raddle import config
from raddle.cli.cautions import show_cautions
from raddle.cli.explore import Seed
from raddle.cli.mpi_options import (
    PROGRAM_CONTEXT,
    arguments_argument,
    program_argument,
    ranks_option,
    simulation_options,
)
from raddle.cli.options import given, json_option, shrink_option, verbose_option
from raddle.cli.options import story as story_option
from raddle.cli.output import exit_code, survive_closed_pipe
from raddle.cli.screen import Live, console, show_result
from raddle.execute.interrupts import termination_interrupts
from raddle.exit_code import ExitCode
from raddle.messages.exploring import explore
from raddle.messages.scenario import SendModes
from raddle.report.story import replay_command
from raddle.stop_reason import StopReason
from raddle.story_length import StoryLength


@click.command(
    "explore", short_help="Search the message orders of a program for failures.", context_settings=PROGRAM_CONTEXT
)
@ranks_option
@click.option(
    "--approach",
    metavar="NAME",
    help="reachability: run every SYN-sequence exactly once; or a scheduler, such as random or portfolio [default: "
    "reachability].",
)
@click.option(
    "--executions",
    type=click.IntRange(min=1),
    help="Maximum number of executions in each mode of sends [default: 1000; no limit with --seconds].",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    help="Time limit for the search in each mode of sends, in seconds.",
)
@click.option("--seed", type=Seed(), metavar="NUMBER|random", help="Seed for all random choices [default: 1].")
@click.option(
    "--sends",
    type=click.Choice([one.value for one in SendModes]),
    help="When standard sends complete. buffered: at once; synchronous: when a receive has taken the message; both: "
    "explore both [default: both].",
)
@simulation_options
@shrink_option
@story_option
@verbose_option
@json_option
@program_argument
@arguments_argument
def mpi_explore(
    program: str, arguments: tuple[str, ...], as_json: bool, story: str | None, verbose: bool | None, **options: Any
) -> int:
    """Run PROGRAM, a file that uses mpi4py, on N simulated ranks, with every order in which its messages can be
    received, and explain every failure."""
    settings = given(**options)
    if settings.get("seed") == "random":
        settings["seed"] = None
    project = config.load(Path.cwd())
    length = StoryLength.parse(story or project.story or StoryLength.SHORT.value)
    screen = console()
    with ExitStack() as stack:
        stack.enter_context(termination_interrupts())
        live = stack.enter_context(Live(screen, total=None))
        result = explore(program, argv=arguments, progress=None if as_json else live, **settings)
    if as_json:
        data = {"target": program, **result.as_json()}
        for one, finding in zip(data["findings"], result.findings, strict=True):
            one["replay"] = None if finding.schedule is None else replay_command(finding, program)
        with survive_closed_pipe():
            click.echo(json.dumps(data, indent=2))
    else:
        show_result(screen, result, program, length, verbose=bool(verbose or project.verbose))
        show_cautions(screen, result, all_of_them=bool(verbose or project.verbose))
    interrupted = result.stopped_because is StopReason.INTERRUPTED
    code = exit_code(found=bool(result.findings), interrupted=interrupted, not_stored=result.not_stored)
    if not code and not result.executions and result.stopped_because is StopReason.SECONDS:
        return ExitCode.NOTHING_TO_DO
    return code
