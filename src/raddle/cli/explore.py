"""`raddle explore`: search the interleavings of a scenario for failures."""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from raddle import api, config
from raddle.cli.options import (
    NO_CRITERIA,
    given,
    pinv_occurrences,
    setup_option,
    shared_options,
    shrink_option,
    thread_methods,
    verbose_option,
)
from raddle.cli.options import story as story_option
from raddle.cli.output import exit_code, survive_closed_pipe
from raddle.cli.quiet import Quiet
from raddle.cli.screen import Live, console, show_coverage, show_outlook, show_result
from raddle.cli.target import load_scenario, load_setup
from raddle.criteria import DEFAULT
from raddle.execute.interrupts import termination_interrupts
from raddle.exit_code import ExitCode
from raddle.exploring.progress import ProgressUpdate
from raddle.report.story import replay_command
from raddle.result import Result
from raddle.stop_reason import StopReason
from raddle.store import DATA_FILE
from raddle.story_length import StoryLength
from raddle.thread_scenario import SWITCHES


class Seed(click.ParamType):  # type: ignore[type-arg]
    """The type of --seed: a whole number or the word "random"."""

    name = "number|random"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "random" or isinstance(value, int):
            return value
        if not str(value).isdigit():
            self.fail(f"{value!r} is neither a whole number nor 'random'", param, ctx)
        return int(value)


@click.command(short_help="Search the interleavings of a scenario for failures.")
@click.argument("target")
@click.option(
    "--executions",
    type=click.IntRange(min=1),
    help="Maximum number of executions [default: 1000; no limit with --seconds].",
)
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="Time limit for the search, in seconds.")
@click.option(
    "--scheduler",
    metavar="NAME[:OPTIONS]",
    help="random, pct:depth=3, pos, surw, round-robin:quantum=N, exhaustive:preemptions=2, deepening:preemptions=2, "
    "reachability, directed, sequential, twice:NAME [default: portfolio].",
)
@click.option("--seed", type=Seed(), metavar="NUMBER|random", help="Seed for all random choices [default: 1].")
@click.option(
    "--until",
    type=click.Choice(api.UNTIL),
    help="When to stop [default: saturated for the schedulers guided by coverage (portfolio, directed), first-finding "
    "for the others]. By default, a portfolio search that finds nothing then tries to run every distinct order.",
)
@click.option(
    "--switches",
    type=click.Choice(SWITCHES),
    help="Where threads may switch. free-threaded: at any shared access; gil: only where CPython with the GIL can "
    "switch [default: free-threaded].",
)
@shrink_option
@click.option(
    "--criteria",
    metavar="NAMES",
    help=f"Comma-separated criteria to measure, or {NO_CRITERIA} [default: {', '.join(DEFAULT)} for schedulers guided "
    f"by coverage or with --data-file, otherwise {NO_CRITERIA}].",
)
@thread_methods
@pinv_occurrences
@click.option(
    "--data-file",
    metavar="FILE",
    help=f"Data file that collects coverage for raddle report [default: {DATA_FILE}, if anything is measured].",
)
@click.option(
    "--corpus/--no-corpus",
    default=None,
    help="First replay the schedules that earlier runs kept in the data file [default: on].",
)
@click.option("--workers", type=click.IntRange(min=1), help="Number of worker processes (at most 8 are used).")
@setup_option
@story_option
@verbose_option
@shared_options
def explore(
    target: str, as_json: bool, setup: str | None, story: str | None, verbose: bool | None, **options: Any
) -> int:
    """Run the scenario TARGET (file.py::function) many times, each time with a different interleaving of its threads,
    and explain every failure step by step."""
    explicit = given(**options)
    project = config.load(Path.cwd())
    settings = project.options() | explicit
    length = StoryLength.parse(story or project.story or StoryLength.SHORT.value)
    if "data_file" in explicit:  # the user named a data file, so measure something to store in it
        settings.setdefault("criteria", DEFAULT)
    if settings.get("seed") == "random":
        settings["seed"] = None
    scenario = load_scenario(target)
    if setup is not None:
        settings["setup"] = load_setup(setup, target)
    settings.setdefault("data_file", DATA_FILE)  # used only if anything is measured
    screen = console()
    # Discard the scenario's output, which every execution repeats. `raddle replay` shows it once.
    with ExitStack() as stack:
        quiet = stack.enter_context(Quiet(sys.stderr if as_json else sys.stdout))
        stack.enter_context(termination_interrupts())
        live = stack.enter_context(Live(screen, total=None))

        def progress(update: ProgressUpdate) -> None:
            quiet.execution_ended()
            if not as_json:
                live(update)

        result = api.explore(scenario, progress=progress, **settings)
    if as_json:
        data = {"target": target, **result.as_json()}
        for one, finding in zip(data["findings"], result.findings, strict=True):
            one["replay"] = None if finding.schedule is None else replay_command(finding, target)
        with survive_closed_pipe():
            click.echo(json.dumps(data, indent=2))
    else:
        _show(screen, result, target, length, data_file=settings["data_file"], verbose=verbose or bool(project.verbose))
    interrupted = result.stopped_because is StopReason.INTERRUPTED
    code = exit_code(found=bool(result.findings), interrupted=interrupted, not_stored=result.not_stored)
    if not code and not result.executions and result.stopped_because is StopReason.SECONDS:
        return ExitCode.NOTHING_TO_DO
    return code


def _show(screen: Console, result: Result, target: str, length: StoryLength, *, data_file: str, verbose: bool) -> None:
    show_result(screen, result, target, length, verbose=verbose)
    if result.record is None:
        return
    stored = not result.not_stored
    if verbose:
        show_coverage(screen, result.record, data_file, stored=stored, verbose=True)
    else:
        show_outlook(screen, result.record, data_file, stored=stored, failed=result.failed)
