"""The rows of a story: the steps of a trace that concern more than one thread, and the preemptions between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raddle.event import Event, Preemption
from raddle.finding import Finding
from raddle.operation import ENTER, LEAVE, START

UNTOLD = ("enter", "leave", "join", "end")


@dataclass(frozen=True, slots=True)
class Row:
    """A step, or a preemption; exactly one of them."""

    thread: str
    event: Event | None = None
    stop: Preemption | None = None
    function: str = ""  # in which the step happens; "" if that is not known

    @property
    def started(self) -> str:
        """The thread that this step starts; "" if it starts none."""
        return self.event.variable if self.event is not None and self.event.kind == START else ""


def rows_of(finding: Finding) -> list[Row]:
    """All rows, in order."""
    return list(_rows(finding))


def _rows(finding: Finding) -> Iterator[Row]:
    told = {
        id(event) for event in finding.trace.shared() if event.kind not in UNTOLD and event.file != "stdlib"
    }  # the insides of a pool are of no interest
    stops = sorted(finding.preemptions, key=lambda stop: stop.before)
    inside: dict[str, list[str]] = {}  # by thread: the functions that it is in
    for index, event in enumerate(finding.trace):
        while stops and stops[0].before <= index:
            yield Row(stops[0].thread, stop=stops.pop(0))
        functions = inside.setdefault(event.thread, [])
        if event.kind == ENTER:
            functions.append(event.variable)
        elif event.kind == LEAVE and event.variable in functions:
            while functions.pop() != event.variable:
                pass
        elif id(event) in told:
            yield Row(event.thread, event=event, function=functions[-1] if functions else "")
    for stop in stops:  # after the last step
        yield Row(stop.thread, stop=stop)
