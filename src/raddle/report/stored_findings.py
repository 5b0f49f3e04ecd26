"""Stored findings: findings read back from the data file, with the story, headline and replay command of each."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b

from raddle.event import Event
from raddle.finding import Finding
from raddle.origin import Command, Origin
from raddle.place import Place
from raddle.report.rows import OMITTED_KINDS
from raddle.report.source import Sources
from raddle.report.story import headline, replay_command, story_text
from raddle.store.contents import Contents


@dataclass(frozen=True, slots=True)
class Stored:
    """A finding with its origin and the line at which reports show it."""

    finding: Finding
    origin: str = ""  # text of the `Origin` of the run that produced the finding; "" if unknown
    place: Place | None = None
    target: str | None = None  # the scenario's name for `raddle replay`; None if no scenario was explored

    @property
    def replay(self) -> str | None:
        """The command that reproduces the finding, or None if it has no schedule."""
        if self.finding.schedule is None:
            return None
        return self._pytest_command or replay_command(self.finding, self.target)

    @property
    def _pytest_command(self) -> str | None:
        """The pytest command that reproduces the finding, or None if it did not come from a test."""
        origin = Origin.parse(self.origin)
        return origin.replay_test(self.finding.schedule) if origin and origin.command is Command.PYTEST else None

    @property
    def story(self) -> str:
        """The human-readable story of the finding."""
        return story_text(self.finding, self.target, replay=self._pytest_command)

    @property
    def headline(self) -> str:
        """The first line of the finding's headline."""
        return headline(self.finding).split("\n")[0]

    @property
    def steps(self) -> list[tuple[int, Event]]:
        """The events that stories show, each with its index in the trace."""
        events = enumerate(self.finding.trace)
        return [(number, one) for number, one in events if one.kind not in OMITTED_KINDS and one.file != "stdlib"]

    @property
    def fingerprint(self) -> str:
        """A digest of the finding that does not change when lines move or unrelated code is added."""
        finding = self.finding
        parts = [finding.kind, finding.message.split("\n")[0], finding.thread]
        parts += [f"{event.thread} {event.file} {event.kind} {event.variable}" for _, event in self.steps]
        return blake2b("\n".join(parts).encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()


def stored_findings(contents: Contents) -> Iterator[Stored]:
    """Yield all findings of a data file.

    >>> found = {"kind": "assertion", "message": "no", "thread": "T1", "steps": [
    ...     {"thread": "T1", "file": "log.py", "line": 9, "operation": "read", "variable": "Log.th", "value": "1"}]}
    >>> [(one.headline, one.place) for one in stored_findings(Contents(findings=(found,)))]
    [('assertion in T1: no', Place(file='log.py', line=9))]
    """
    sources = Sources(contents)
    origins = {run.origin for run in contents.runs if _explored(run.origin)}
    only = origins.pop() if len(origins) == 1 else ""  # used for older data files, whose findings have no origin
    for value in contents.findings:
        origin = str(value.get("origin") or only)
        found = Finding.from_json(value)
        files = {event.file for event in found.trace}
        paths = {file: sources.path(file, sources.versions(file, origin)) for file in files}
        finding = replace(found, paths=paths)
        yield Stored(finding, origin, _place(finding, _explored(origin)), target_of(origin, contents.paths))


def _explored(text: str) -> Origin | None:
    """Parse the text of an origin. Return None if it is not an explored scenario."""
    origin = Origin.parse(text)
    return origin if origin is not None and origin.command is Command.EXPLORE else None


def target_of(origin: str, paths: Mapping[str, str]) -> str | None:
    """Return the scenario's name for `raddle replay`, or None if the origin is not an explored scenario.

    `paths` maps file labels to paths. The returned name is relative to the current folder.

    >>> target_of("explore log.py::scenario", {}), target_of("run app.py", {})
    ('log.py::scenario', None)
    """
    explored = _explored(origin)
    if explored is None:
        return None
    path = paths.get(explored.file, "")
    if not os.path.isfile(explored.file) and os.path.isfile(path):  # labels are relative to the project folder
        explored = replace(explored, file=os.path.relpath(path))
    return explored.target


def _place(finding: Finding, explored: Origin | None) -> Place | None:
    """Return the finding's own place, else the place of its thread's last step, else the scenario's file."""
    if finding.place is not None:
        return finding.place
    shown = [event for event in finding.trace if event.file != "stdlib" and event.line]
    for event in reversed([event for event in shown if event.thread == finding.thread] or shown):
        return Place(event.file, event.line)
    return Place(explored.file, 0) if explored is not None and explored.name else None
