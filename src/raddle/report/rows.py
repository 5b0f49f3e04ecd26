"""The rows of a story: the steps of a trace that concern more than one thread, and the preemptions between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raddle.event import Event, Preemption
from raddle.finding import Finding
from raddle.operation import ENTER, LEAVE, START

OMITTED_KINDS = ("enter", "leave", "join", "end")  # kinds of event that stories do not show


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a story: either a step or a preemption."""

    thread: str
    event: Event | None = None  # the step; None for a preemption
    stop: Preemption | None = None  # the preemption; None for a step
    function: str = ""  # function that contains the step; "" if unknown

    @property
    def started(self) -> str:
        """The thread that this step starts, or ""."""
        return self.event.variable if self.event is not None and self.event.kind == START else ""


def rows_of(finding: Finding) -> list[Row]:
    """Return all rows of a finding's story, in order."""
    return list(_rows(finding))


def _rows(finding: Finding) -> Iterator[Row]:
    # Events inside the standard library, for example in a thread pool, do not help to understand the failure.
    shown = {
        id(event) for event in finding.trace.shared() if event.kind not in OMITTED_KINDS and event.file != "stdlib"
    }
    stops = sorted(finding.preemptions, key=lambda stop: stop.before)
    inside: dict[str, list[str]] = {}  # maps a thread to the functions that it is executing, innermost last
    for index, event in enumerate(finding.trace):
        while stops and stops[0].before <= index:
            yield Row(stops[0].thread, stop=stops.pop(0))
        functions = inside.setdefault(event.thread, [])
        if event.kind == ENTER:
            functions.append(event.variable)
        elif event.kind == LEAVE and event.variable in functions:
            while functions.pop() != event.variable:
                pass
        elif id(event) in shown:
            yield Row(event.thread, event=event, function=functions[-1] if functions else "")
    for stop in stops:  # preemptions after the last step
        yield Row(stop.thread, stop=stop)
