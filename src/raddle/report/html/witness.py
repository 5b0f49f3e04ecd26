"""The command that shows an execution again, where its schedule was kept."""

from __future__ import annotations

from raddle.origin import Command, Origin
from raddle.replay_options import DEFAULT_REPLAY_OPTIONS, ReplayOptions
from raddle.report.stored_findings import Stored, target_of
from raddle.store.contents import Contents


def witnesses(contents: Contents) -> dict[int, str]:
    """By number of an execution: the command that replays it."""
    found: dict[int, str] = {}
    for kept in contents.corpus:
        command = replay(kept.origin, kept.schedule, kept.replay_options)
        if command:
            found.setdefault(kept.number, command)
    return found


def of_finding(one: Stored) -> str:
    """Return the command that shows a finding again; "" if it has no schedule, or its scenario is not known."""
    return replay(one.origin, str(one.finding.schedule or ""), one.finding.replay_options)


def replay(origin: str, schedule: str, replay_options: ReplayOptions = DEFAULT_REPLAY_OPTIONS) -> str:
    """
    >>> replay("explore log.py::scenario", "T0; T1.")
    "raddle replay log.py::scenario 'T0; T1.'"
    >>> replay("pytest test_log.py::test_it[1]", "T0; T1.")
    "pytest 'test_log.py::test_it[1]' --raddle-replay 'T0; T1.'"
    >>> replay("run app.py", "T0; T1.")
    ''
    """
    known = Origin.parse(origin)
    if schedule and known is not None and known.command is Command.PYTEST:
        return known.replay_test(schedule)
    target = target_of(origin, {})  # as from the project's folder: pages are read in other places
    return replay_options.command(target, schedule) if schedule and target is not None else ""
