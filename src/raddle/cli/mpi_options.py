"""Options shared by the commands of `raddle mpi`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from raddle.messages.scenario import POLLS, STEP_LIMIT
from raddle.mpi.options import Collectives

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
