"""The command that shows an execution again, where its schedule was kept."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from raddle.replaying import PLAINLY, Replaying
from raddle.report.stored import TESTED, target_of
from raddle.store.contents import Contents


def witnesses(contents: Contents) -> dict[int, str]:
    """By number of an execution: the command that replays it."""
    found: dict[int, str] = {}
    for kept in contents.corpus:
        command = replay(kept.origin, kept.schedule, kept.replaying)
        if command:
            found.setdefault(kept.number, command)
    return found


def of_finding(finding: Mapping[str, Any]) -> str:
    """The command that shows a finding again; "" where it has no schedule, or nobody knows what was explored."""
    replaying = Replaying.from_json(finding.get("options"))
    return replay(str(finding.get("origin") or ""), str(finding.get("schedule") or ""), replaying)


def replay(origin: str, schedule: str, replaying: Replaying = PLAINLY) -> str:
    """
    >>> replay("explore log.py::scenario", "T0; T1.")
    "raddle replay log.py::scenario 'T0; T1.'"
    >>> replay("pytest test_log.py::test_it[1]", "T0; T1.")
    "pytest 'test_log.py::test_it[1]' --raddle-replay 'T0; T1.'"
    >>> replay("run app.py", "T0; T1.")
    ''
    """
    if schedule and origin.startswith(TESTED):
        return f"pytest {shlex.quote(origin.removeprefix(TESTED))} --raddle-replay {shlex.quote(schedule)}"
    target = target_of(origin, {})  # as from the project's folder: pages are read in other places
    return replaying.command(target, schedule) if schedule and target is not None else ""
