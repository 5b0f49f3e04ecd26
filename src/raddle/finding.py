"""A finding: something wrong that an execution showed, with the schedule that shows it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from raddle.event import Event, Preemption
from raddle.every_order import EveryOrder
from raddle.operation import ENTER, LEAVE
from raddle.replaying import PLAINLY, Replaying
from raddle.schedule import Schedule
from raddle.trace import Trace

THIS_INTERPRETER = "this-interpreter"
FREE_THREADED_ONLY = "free-threaded-only"


@dataclass(frozen=True, slots=True)
class Finding:
    """What went wrong, where it can happen, and how to see it again."""

    kind: str  # an OutcomeKind; any text in a data file of a later version
    message: str
    thread: str
    possible_on: str  # THIS_INTERPRETER or FREE_THREADED_ONLY
    schedule: Schedule | None  # None where no schedule would show it again, as with non-determinism
    trace: Trace = field(repr=False)
    details: tuple[str, ...] = field(default=(), repr=False)  # traceback, who waits for whom
    preemptions: tuple[Preemption, ...] = ()
    paths: dict[str, str] = field(default_factory=dict, repr=False, compare=False)  # the files the trace names
    execution: int = 0  # the number of the execution that showed it first
    error: BaseException | None = field(default=None, repr=False, compare=False)
    every_order: EveryOrder | None = None  # it fails whatever the order is: not a race
    replaying: Replaying = field(default=PLAINLY, repr=False)  # what the schedule alone does not tell
    notes: tuple[str, ...] = field(default=(), repr=False)  # of the exception; the traceback in `details` has them too

    @property
    def steps(self) -> tuple[Event, ...]:
        """The steps that concern more than one thread."""
        return tuple(e for e in self.trace.shared() if e.kind not in (ENTER, LEAVE))

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "kind": self.kind,
            "message": self.message,
            "thread": self.thread,
            "possible_on": self.possible_on,
            "every_order": self.every_order.as_json() if self.every_order else None,
            "schedule": str(self.schedule) if self.schedule else None,
            "execution": self.execution,
            "details": list(self.details),
            "notes": list(self.notes),
            "steps": [
                {
                    "thread": e.thread,
                    "file": e.file,
                    "line": e.line,
                    "operation": e.kind,
                    "variable": e.variable,
                    "object": e.object,
                    "value": e.value,
                }
                for e in self.steps
            ],
            "preemptions": self._stops(),
            **({"options": self.replaying.as_json()} if self.replaying != PLAINLY else {}),
        }

    def _stops(self) -> list[dict[str, Any]]:
        """The preemptions; `before` counts steps, as `steps` has them."""
        told = {id(event) for event in self.steps}
        before = [0]
        for event in self.trace:
            before.append(before[-1] + (id(event) in told))
        return [
            {
                "before": before[min(stop.before, len(self.trace))],
                "thread": stop.thread,
                "place": stop.place,
                "with_gil": stop.with_gil,
            }
            for stop in self.preemptions
        ]
