"""Options shared by several commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from raddle.criterion_settings import PINV_OCCURRENCES
from raddle.engine.rules import Timeouts, Wakeups
from raddle.entities import METHODS
from raddle.store import DATA_FILE
from raddle.story_length import StoryLength
from raddle.thread_scenario import PATIENCE_SECONDS, STEP_LIMIT

F = TypeVar("F", bound=Callable[..., Any])
NO_CRITERIA = "none"  # value of --criteria that measures nothing

data_file_option = click.option("--data-file", metavar="FILE", help=f"Data file to read [default: {DATA_FILE}].")
added_data_option = click.option(
    "--data-file", metavar="FILE", help=f"Data file to add the coverage to [default: {DATA_FILE}]."
)
only_criteria_option = click.option(
    "--criteria", metavar="NAMES", help="Comma-separated criteria to include [default: all that were measured]."
)
module_option = click.option(
    "-m",
    "module",
    metavar="MODULE",
    help="Run a module, as python -m does. All arguments after MODULE are passed to it.",
)
setup_option = click.option(
    "--setup", metavar="NAME", help="Function in the scenario's file to call before each execution."
)
shrink_option = click.option(
    "--shrink/--no-shrink",
    default=None,
    help="Simplify the schedule of each finding [default: on].",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON on stdout.")
_SOURCE = click.option(
    "--source",
    multiple=True,
    metavar="NAME",
    help="Package, module, folder or file to instrument [default: the project that contains the scenario]. Repeatable.",
)
_ISOLATE = click.option(
    "--isolate",
    type=click.Choice(["none", "fork"]),
    default=None,
    help="fork: run each execution in a child process, for code that keeps state in modules [default: none].",
)
_STEP_LIMIT = click.option(
    "--step-limit",
    type=click.IntRange(min=1),
    help=f"Maximum number of scheduling points in one execution [default: {STEP_LIMIT}].",
)
_PATIENCE = click.option(
    "--patience-seconds",
    type=click.FloatRange(min=0.1),
    help="How many seconds a thread may block outside raddle's control before raddle reports the call "
    f"[default: {PATIENCE_SECONDS:g}; for replay, no limit]. There is no limit while a debugger is active.",
)
_TIMEOUTS = click.option(
    "--timeouts",
    type=click.Choice([one.value for one in Timeouts]),
    help="When sleeps may end and timed waits may expire. late: only when every other thread is blocked; any: at any "
    "scheduling point [default: late].",
)
_WAKEUPS = click.option(
    "--wakeups",
    type=click.Choice([one.value for one in Wakeups]),
    help="Which waiting threads Condition.notify wakes. fifo: those that have waited longest, as in CPython; any: any "
    "of them [default: fifo].",
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
    help="Also show what each scheduler contributed, the coverage table, and a line for each warning.",
)
all_warnings_option = click.option(
    "-v", "--verbose", is_flag=True, default=None, help="List every warning instead of one line per variable."
)
thread_methods = click.option(
    "--thread-methods",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"Distinguish threads by their type and the first N methods they run [default: {METHODS}].",
)

pinv_occurrences = click.option(
    "--pinv-occurrences",
    type=click.IntRange(min=1),
    metavar="N",
    help="For pinv: distinguish the first N occurrences of an access, and treat later occurrences as the Nth "
    f"[default: {PINV_OCCURRENCES}].",
)


def shared_options(command: F) -> F:
    """Add `--source`, `--isolate`, `--timeouts`, `--wakeups`, `--step-limit`, `--patience-seconds` and `--json`."""
    for option in (json_option, _PATIENCE, _STEP_LIMIT, _WAKEUPS, _TIMEOUTS, _ISOLATE, _SOURCE):
        command = option(command)
    return command


def given(**options: Any) -> dict[str, Any]:
    """Return the options that were given on the command line."""
    return {name: value for name, value in options.items() if value is not None and value != ()}
