"""Stored findings: what the data file keeps of each, as the value that stories are told of."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, NamedTuple

from raddle.errors import ScheduleError
from raddle.event import Event, Preemption
from raddle.every_order import EveryOrder
from raddle.finding import THIS_INTERPRETER, Finding
from raddle.replaying import Replaying
from raddle.report.rows import UNTOLD
from raddle.report.source import Sources
from raddle.report.story import headline, replay_command, tell
from raddle.schedule import Schedule
from raddle.store.contents import Contents
from raddle.trace import Trace

EXPLORED = "explore "  # how the origin of what ran under control begins
TESTED = "pytest "  # and that of a marked test inside a run
_FRAME = re.compile(r'\s*File "(?P<path>.*)", line (?P<line>\d+)')
_WAITS = re.compile(r" at (?P<file>.+?):(?P<line>\d+)(?:;|$)")
_BRACKETS = re.compile(r"\([^)]*\)")
_STOP = re.compile(r"(?P<file>.+):(?P<line>\d+) ")


class Place(NamedTuple):
    """A line of a file, as sites name it; 0 where only the file is known."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Stored:
    """A finding, the scenario that showed it, and the line to show it at."""

    finding: Finding
    origin: str = ""  # "explore log.py::scenario"; "" where that is not known
    place: Place | None = None
    target: str | None = None  # what `raddle replay` calls the scenario, if it was explored

    @property
    def replay(self) -> str | None:
        """The command that shows it again; None where there is none."""
        if self.finding.schedule is None:
            return None
        return self._test_again or replay_command(self.finding, self.target)

    @property
    def _test_again(self) -> str | None:
        """The command, if it was a test that showed it."""
        if not self.origin.startswith(TESTED):
            return None
        test = self.origin.removeprefix(TESTED)
        return f"pytest {shlex.quote(test)} --raddle-replay {shlex.quote(str(self.finding.schedule))}"

    @property
    def story(self) -> str:
        """All of it, for people."""
        return tell(self.finding, self.target, replay=self._test_again)

    @property
    def headline(self) -> str:
        """Its first line."""
        return headline(self.finding).split("\n")[0]

    @property
    def steps(self) -> list[tuple[int, Event]]:
        """Those that a story tells, with their numbers among all."""
        events = enumerate(self.finding.trace)
        return [(number, one) for number, one in events if one.kind not in UNTOLD and one.file != "stdlib"]

    @property
    def fingerprint(self) -> str:
        """The same for one fault after lines were moved, or were added elsewhere."""
        finding = self.finding
        parts = [finding.kind, finding.message.split("\n")[0], finding.thread]
        parts += [f"{event.thread} {event.file} {event.kind} {event.variable}" for _, event in self.steps]
        return blake2b("\n".join(parts).encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()


def stored_findings(contents: Contents) -> Iterator[Stored]:
    """All findings of a data file.

    >>> found = {"kind": "assertion", "message": "no", "thread": "T1", "steps": [
    ...     {"thread": "T1", "file": "log.py", "line": 9, "operation": "read", "variable": "Log.th", "value": "1"}]}
    >>> [(one.headline, one.place) for one in stored_findings(Contents(findings=(found,)))]
    [('assertion in T1: no', Place(file='log.py', line=9))]
    """
    sources = Sources(contents)
    labels = {path: label for label, path in contents.paths.items()}
    origins = {run.origin for run in contents.runs if run.origin.startswith(EXPLORED)}
    only = origins.pop() if len(origins) == 1 else ""  # files from before origins were kept
    for value in contents.findings:
        origin = str(value.get("origin") or only)
        finding = _finding(value, origin, sources)
        yield Stored(finding, origin, _place(finding, origin, labels), target_of(origin, contents.paths))


def target_of(origin: str, paths: Mapping[str, str]) -> str | None:
    """What `raddle replay` calls a scenario here; None if none was explored. `paths` are those of files, by label.

    >>> target_of("explore log.py::scenario", {}), target_of("run app.py", {})
    ('log.py::scenario', None)
    """
    if not origin.startswith(EXPLORED):
        return None
    file, colons, name = origin.removeprefix(EXPLORED).partition("::")
    path = paths.get(file, "")
    if not os.path.isfile(file) and os.path.isfile(path):  # labels are paths from the project's folder
        file = os.path.relpath(path)
    return f"{file}{colons}{name}"


def stop_place(stop: Preemption) -> Place | None:
    """The line that a thread was stopped before.

    >>> stop_place(Preemption(3, "T1", "log.py:9 write th"))
    Place(file='log.py', line=9)
    """
    match = _STOP.match(stop.place)
    return Place(match["file"], int(match["line"])) if match else None


def _finding(value: Mapping[str, Any], origin: str, sources: Sources) -> Finding:
    events = tuple(map(event_of, value.get("steps") or ()))
    return Finding(
        kind=str(value.get("kind", "")),
        message=str(value.get("message", "")),
        thread=str(value.get("thread") or ""),
        possible_on=str(value.get("possible_on", THIS_INTERPRETER)),
        every_order=EveryOrder.from_json(value.get("every_order")),
        schedule=_schedule(value.get("schedule")),
        trace=Trace(events),
        details=tuple(map(str, value.get("details") or ())),
        notes=tuple(map(str, value.get("notes") or ())),
        preemptions=tuple(
            Preemption(int(stop["before"]), str(stop["thread"]), str(stop["place"]), bool(stop.get("with_gil", True)))
            for stop in value.get("preemptions") or ()
        ),
        paths={file: sources.path(file, sources.versions(file, origin)) for file in {one.file for one in events}},
        execution=int(value.get("execution") or 0),
        replaying=Replaying.from_json(value.get("options")),
    )


def event_of(step: Mapping[str, Any]) -> Event:
    """A step as the data file has it.

    >>> print(event_of({"thread": "T1", "file": "log.py", "line": 9, "operation": "read", "variable": "Log.th"}))
    T1 log.py:9 read Log.th
    """
    return Event(
        thread=str(step.get("thread", "")),
        kind=str(step.get("operation", "")),
        variable=str(step.get("variable", "")),
        object=int(step.get("object") or 0),
        file=str(step.get("file", "")),
        line=int(step.get("line") or 0),
        value=str(step.get("value", "")),
    )


def _schedule(text: str | None) -> Schedule | None:
    try:
        return Schedule.parse(text) if text else None
    except ScheduleError:  # somebody else wrote it
        return None


def _place(finding: Finding, origin: str, labels: Mapping[str, str]) -> Place | None:
    """Where it was raised, where the thread waits, else the last that it did; only the file where nothing is known."""
    for line in reversed(finding.details):
        frame = _FRAME.match(line)
        if frame and frame["path"] in labels:
            return Place(labels[frame["path"]], int(frame["line"]))
    for line in finding.details:
        waits = _WAITS.search(_BRACKETS.sub("", line)) if line.startswith(f"{finding.thread} waits ") else None
        if waits and waits["file"] in labels.values():
            return Place(waits["file"], int(waits["line"]))
    told = [event for event in finding.trace if event.file != "stdlib" and event.line]
    for event in reversed([event for event in told if event.thread == finding.thread] or told):
        return Place(event.file, event.line)
    file, colons, _ = origin.removeprefix(EXPLORED).rpartition("::")
    return Place(file, 0) if colons and origin.startswith(EXPLORED) else None
