"""`raddle generate`: look for calls that break a class when two threads make them, and write a test for each bug."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from raddle import config
from raddle.cli.generate_screen import GenerationScreen
from raddle.cli.options import given, json_option
from raddle.cli.output import exit_code, survive_closed_pipe
from raddle.cli.screen import console
from raddle.execute.interrupts import termination_interrupts
from raddle.exit_code import ExitCode
from raddle.generation.exporting import DEFAULT_FOLDER
from raddle.generation.generate import generate as generate_tests
from raddle.generation.generation_options import DEFAULT_SECONDS, METHODS
from raddle.generation.generation_result import GenerationResult
from raddle.generation.oracle_names import ORACLES, PRIVATE
from raddle.generation.search_end import SearchEnd


@click.command(short_help="Look for calls that break a class, and write a test for each bug.")
@click.argument("target")
@click.option("--method", type=click.Choice(METHODS), help="Method of generation [default: portfolio].")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    help=f"Time limit, in seconds, including the time for writing tests. Several classes share it [default: "
    f"{DEFAULT_SECONDS:g}; no limit with --max-tests].",
)
@click.option(
    "--max-tests",
    type=click.IntRange(min=1),
    help="Maximum number of tests for each class. Unlike a time limit, it gives the same result on every machine "
    "[default: no limit].",
)
@click.option("--seed", type=click.IntRange(min=0), help="Seed for all random choices [default: 1].")
@click.option("--out", metavar="FOLDER", help=f"Folder for the tests [default: {DEFAULT_FOLDER}].")
@click.option("--methods", metavar="PATTERNS", help="Comma-separated patterns of the methods to call [default: all].")
@click.option("--exclude", metavar="PATTERNS", help="Comma-separated patterns of methods not to call.")
@click.option(
    "--oracle",
    metavar="NAMES",
    help=f"Comma-separated: {', '.join(ORACLES)}, {PRIVATE} (attributes that no method shows) [default: all but "
    f"{PRIVATE}].",
)
@click.option("--learn", metavar="TESTS", help="Run these tests, and use the arguments that they pass to the class.")
@click.option("--with", "factory", metavar="FILE", help="File that defines what cannot be guessed.")
@click.option(
    "--workers", type=click.IntRange(min=1), help="Number of processes, which use different seeds [default: 1]."
)
@click.option(
    "--keep-coverage-tests",
    is_flag=True,
    default=None,
    help="Also write tests that pass and that raised the coverage of map, to one file per class.",
)
@click.option("-v", "--verbose", is_flag=True, help="List all missing requirements and every method not called.")
@json_option
def generate(target: str, as_json: bool, verbose: bool, **options: Any) -> int:
    """Look for calls that break a class when two threads make them. For each bug, write a pytest file that fails.

    TARGET is a class (package.module:Class or file.py:Class). A module, file or folder stands for all of its public
    classes that look as if they were meant to be shared: they have locks, mention threads, or are used from threads.

    Exit codes: 0 no bug, 1 a bug, 5 nothing could be tested.
    """
    project = config.load(Path.cwd()).generate or config.GenerateConfig()
    settings = {"out": DEFAULT_FOLDER, **project.options(), **given(**options)}
    for name in ("methods", "exclude", "oracle"):
        if isinstance(settings.get(name), str):
            settings[name] = tuple(part.strip() for part in settings[name].split(",") if part.strip())
    screen = GenerationScreen(console(), is_silent=as_json, is_verbose=verbose)
    with termination_interrupts(), screen:
        result = generate_tests(target, progress=screen, **settings)
    if as_json:
        with survive_closed_pipe():
            click.echo(json.dumps({"target": target, **result.as_json()}, indent=2))
    else:
        screen.show_result(result)
    return _exit_code(result)


def _exit_code(result: GenerationResult) -> ExitCode:
    code = exit_code(found=result.failed, interrupted=result.interrupted, not_stored="")
    if code:
        return code
    if any(report.why is SearchEnd.INTERNAL_ERROR for report in result.classes):
        return ExitCode.INTERNAL_ERROR
    return ExitCode.SUCCESS if result.has_tested else ExitCode.NOTHING_TO_DO
