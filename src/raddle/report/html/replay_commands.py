"""Replay commands for the executions and findings on the pages."""

from __future__ import annotations

from raddle.origin import Command, Origin
from raddle.replay_options import DEFAULT_REPLAY_OPTIONS, ReplayOptions
from raddle.report.stored_findings import Stored, target_of
from raddle.store.contents import Contents


def replay_commands(contents: Contents) -> dict[int, str]:
    """Map the number of each execution in the corpus to the command that replays it."""
    found: dict[int, str] = {}
    for entry in contents.corpus:
        command = replay_command(entry.origin, entry.schedule, entry.replay_options)
        if command:
            found.setdefault(entry.number, command)
    return found


def finding_command(one: Stored) -> str:
    """Return the command that reproduces a finding, or "" if it has no schedule or its scenario is unknown."""
    return replay_command(one.origin, str(one.finding.schedule or ""), one.finding.replay_options)


def replay_command(origin: str, schedule: str, replay_options: ReplayOptions = DEFAULT_REPLAY_OPTIONS) -> str:
    """Return the command that replays a schedule, or "" if the origin is neither a scenario nor a test.

    >>> replay_command("explore log.py::scenario", "T0; T1.")
    "raddle replay log.py::scenario 'T0; T1.'"
    >>> replay_command("pytest test_log.py::test_it[1]", "T0; T1.")
    "pytest 'test_log.py::test_it[1]' --raddle-replay 'T0; T1.'"
    >>> replay_command("run app.py", "T0; T1.")
    ''
    """
    known = Origin.parse(origin)
    if schedule and known is not None and known.command is Command.PYTEST:
        return known.replay_test(schedule)
    target = target_of(origin, {})  # relative to the project folder, since the pages may be read elsewhere
    return replay_options.command(target, schedule) if schedule and target is not None else ""
