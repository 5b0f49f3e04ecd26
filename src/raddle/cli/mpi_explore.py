"""`raddle mpi explore`: search the message orders of a program for failures."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
    measuring_options,
    program_argument,
    ranks_option,
    simulation_options,
)
from raddle.cli.options import given, json_option, shrink_option, verbose_option
from raddle.cli.options import story as story_option
from raddle.cli.output import exit_code, survive_closed_pipe
from raddle.cli.safe_text import safe_text
from raddle.cli.screen import Live, console, show_coverage, show_result
from raddle.execute.interrupts import termination_interrupts
from raddle.exit_code import ExitCode
from raddle.messages.approach import BY_COVERAGE
from raddle.messages.exploring import explore
from raddle.messages.scenario import SendModes
from raddle.report.story import replay_command
from raddle.stop_reason import StopReason
from raddle.store import DATA_FILE
from raddle.story_length import StoryLength
from raddle.tally import EXACT


def infeasible_lines(criteria: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return lines about the criteria of which an exhausted search has shown some elements to be infeasible.

    >>> row = {"covered": 8, "total": 8, "total_kind": "exact", "static_total": 14}
    >>> infeasible_lines({"all-edges-s": row})
    ['all-edges-s: 8 of 14 required elements (57.1 %); infeasible with these arguments: 6']
    """
    lines = []
    for name, row in criteria.items():
        covered, required = row["covered"], row["static_total"]
        if row["total_kind"] == EXACT and required and covered < required:
            lines.append(
                f"{name}: {covered:,} of {required:,} required elements ({100 * covered / required:.1f} %); infeasible "
                f"with these arguments: {required - covered:,}"
            )
    return lines


@click.command(
    "explore", short_help="Search the message orders of a program for failures.", context_settings=PROGRAM_CONTEXT
)
@ranks_option
@click.option(
    "--approach",
    metavar="NAME",
    help="reachability or variants: run every SYN-sequence exactly once; composite: only those that promise to cover "
    "something new; structural: random executions, then composite; or a scheduler, such as random or portfolio "
    "[default: reachability].",
)
@click.option("--workers", type=click.IntRange(min=1), help="Number of worker processes.")
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
@measuring_options
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
    if settings.keys() & {"criteria", "data_file", "roles"} or settings.get("approach") in BY_COVERAGE:
        settings.setdefault("data_file", DATA_FILE)
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
        if result.record is not None:
            show_coverage(screen, result.record, settings["data_file"], stored=not result.not_stored)
            for line in infeasible_lines(result.criteria):
                screen.print(safe_text(line))
    interrupted = result.stopped_because is StopReason.INTERRUPTED
    code = exit_code(found=bool(result.findings), interrupted=interrupted, not_stored=result.not_stored)
    if not code and not result.executions and result.stopped_because is StopReason.SECONDS:
        return ExitCode.NOTHING_TO_DO
    return code
