"""Options shared by the commands of `raddle mpi`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from raddle.messages.scenario import POLLS, STEP_LIMIT
from raddle.mpi.options import Collectives
from raddle.pcfg.graph import ITERATIONS
from raddle.pcfg.matching import Profile
from raddle.store import DATA_FILE

F = TypeVar("F", bound=Callable[..., Any])

# The program's own arguments follow its name, so options must come first.
PROGRAM_CONTEXT = {"allow_interspersed_args": False, "ignore_unknown_options": False}

program_argument = click.argument("program", metavar="PROGRAM")
arguments_argument = click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[ARGUMENT]...")
ranks_option = click.option(
    "-n", "--ranks", type=click.IntRange(min=1), required=True, metavar="N", help="Number of ranks."
)
_COLLECTIVES = click.option(
    "--collectives",
    type=click.Choice([one.value for one in Collectives]),
    help="minimal: a collective operation waits only for the ranks whose data it needs; synchronizing: it waits for "
    "all ranks [default: minimal].",
)
_POLLS = click.option(
    "--polls",
    type=click.IntRange(min=0),
    metavar="K",
    help=f"How many times in a row a poll, such as iprobe or test, may find nothing [default: {POLLS}].",
)
_STEP_LIMIT = click.option(
    "--step-limit",
    type=click.IntRange(min=1),
    help=f"Maximum number of scheduling points in one execution [default: {STEP_LIMIT}].",
)


def simulation_options(command: F) -> F:
    """Add `--collectives`, `--polls` and `--step-limit`."""
    for option in (_STEP_LIMIT, _POLLS, _COLLECTIVES):
        command = option(command)
    return command


_CRITERIA = click.option(
    "--criteria",
    metavar="NAMES",
    help="Comma-separated structural criteria to measure, such as all-edges-s, or messages for all of them.",
)
_DATA_FILE = click.option(
    "--data-file", metavar="FILE", help=f"Data file to add the coverage to [default: {DATA_FILE}]."
)
_ROLES = click.option(
    "--roles",
    metavar="TEXT",
    help="The function that each rank runs, as in 'master(0) worker(1-3)' [default: found in the source].",
)
_PROFILE = click.option(
    "--profile",
    type=click.Choice([one.value for one in Profile]),
    help="What is compared to eliminate pairs of sends and receives. literal: ranks that are numbers in the source; "
    "tags: also tags; ranks: also computed ranks [default: literal].",
)
_ITERATIONS = click.option(
    "--iterations",
    type=click.IntRange(min=1),
    metavar="K",
    help=f"Number of runs of a statement that all-edges-s* distinguishes [default: {ITERATIONS}].",
)


def graph_options(command: F) -> F:
    """Add `--roles`, `--profile` and `--iterations`."""
    for option in (_ITERATIONS, _PROFILE, _ROLES):
        command = option(command)
    return command


def measuring_options(command: F) -> F:
    """Add the options for measuring coverage."""
    return _CRITERIA(_DATA_FILE(graph_options(command)))
