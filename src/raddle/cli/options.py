"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from raddle.criterion_settings import PINV_OCCURRENCES
from raddle.engine.rules import Timeouts, Wakeups
from raddle.entities import METHODS
from raddle.store import DATA_FILE
from raddle.story_length import StoryLength
from raddle.thread_scenario import PATIENCE_SECONDS

F = TypeVar("F", bound=Callable[..., Any])
NO_CRITERIA = "none"  # as a value of --criteria

data_file_option = click.option("--data-file", metavar="FILE", help=f"Where the data is [default: {DATA_FILE}].")
added_data_option = click.option(
    "--data-file", metavar="FILE", help=f"Where to add what was covered [default: {DATA_FILE}]."
)
only_criteria_option = click.option(
    "--criteria", metavar="NAMES", help="Only these, with commas between [default: all that were measured]."
)
module_option = click.option(
    "-m", "module", metavar="MODULE", help="Run a module, as python -m does. Whatever follows is its own."
)
setup_option = click.option(
    "--setup", metavar="NAME", help="Function of the scenario's file, called before each execution."
)
shrink_option = click.option(
    "--shrink/--no-shrink", default=None, help="Show findings by the simplest schedule [default: shrink]."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON on stdout.")
_SOURCE = click.option(
    "--source",
    multiple=True,
    metavar="NAME",
    help="Package, module, folder or file to instrument [default: the project around the scenario]. Repeatable.",
)
_ISOLATE = click.option(
    "--isolate",
    type=click.Choice(["none", "fork"]),
    default=None,
    help="fork: each execution in a child process, for code with module state.",
)
_STEP_LIMIT = click.option("--step-limit", type=click.IntRange(min=1), help="Scheduling points an execution may have.")
_PATIENCE = click.option(
    "--patience-seconds",
    type=click.FloatRange(min=0.1),
    help="How long a thread may block outside raddle's control before that is reported "
    f"[default: {PATIENCE_SECONDS:g}; replay: no limit]. There is no limit while a debugger is active.",
)
_TIMEOUTS = click.option(
    "--timeouts",
    type=click.Choice([one.value for one in Timeouts]),
    help="When a sleep or a wait with a timeout may end: when every other thread is blocked, or any time "
    "[default: late].",
)
_WAKEUPS = click.option(
    "--wakeups",
    type=click.Choice([one.value for one in Wakeups]),
    help="Which waiting threads a Condition's notify wakes: those that have waited longest, as CPython does, or any "
    "[default: fifo].",
)
story = click.option(
    "--story",
    type=click.Choice([length.value for length in StoryLength]),
    help="short: fold the steps that do not explain a finding; full: show every step [default: short].",
)
verbose_option = click.option(
    "-v",
    "--verbose",
    is_flag=True,
    default=None,
    help="Also show what each scheduler contributed, the coverage table and every single warning.",
)
all_warnings_option = click.option(
    "-v", "--verbose", is_flag=True, default=None, help="List every warning instead of one line per variable."
)
thread_methods = click.option(
    "--thread-methods",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Tell threads apart by their type and the first N methods that they ran [default: {METHODS}].",
)

pinv_occurrences = click.option(
    "--pinv-occurrences",
    type=click.IntRange(min=1),
    metavar="N",
    help="Tell the first N occurrences of an access apart for pinv; later ones count as the last "
    f"[default: {PINV_OCCURRENCES}].",
)


def shared_options(command: F) -> F:
    """Add `--source`, `--isolate`, `--timeouts`, `--wakeups`, `--step-limit`, `--patience-seconds` and `--json`."""
    for option in (json_option, _PATIENCE, _STEP_LIMIT, _WAKEUPS, _TIMEOUTS, _ISOLATE, _SOURCE):
        command = option(command)
    return command


def given(**options: Any) -> dict[str, Any]:
    """Those that were really given on the command line."""
    return {name: value for name, value in options.items() if value is not None and value != ()}
