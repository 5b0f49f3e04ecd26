"""A finding: something wrong that an execution showed, with the schedule that shows it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from raddle.errors import ScheduleError
from raddle.event import Event, Preemption
from raddle.every_order import EveryOrder
from raddle.operation import ENTER, LEAVE
from raddle.place import Place
from raddle.replay_options import DEFAULT_REPLAY_OPTIONS, ReplayOptions
from raddle.schedule import Schedule
from raddle.trace import Trace
from raddle.wait import Wait

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
    replay_options: ReplayOptions = field(
        default=DEFAULT_REPLAY_OPTIONS, repr=False
    )  # what the schedule alone does not tell
    notes: tuple[str, ...] = field(default=(), repr=False)  # of the exception; the traceback in `details` has them too
    waits: tuple[Wait, ...] = field(default=(), repr=False)  # if no thread could continue; `details` has them too
    place: Place | None = None  # where it was raised, or where the thread waits
    signature: tuple[str, ...] = field(default=(), repr=False, compare=False)  # see `Outcome`; not stored

    @property
    def replaying(self) -> ReplayOptions:
        """The former name of `replay_options`."""
        return self.replay_options

    @property
    def steps(self) -> tuple[Event, ...]:
        """The steps that concern more than one thread."""
        return tuple(e for e in self.trace.shared() if e.kind not in (ENTER, LEAVE))

    def as_json(self) -> dict[str, Any]:
        """Return the finding as data files and machines get it, with the steps that concern more than one thread."""
        return {
            "kind": str(self.kind),
            "message": self.message,
            "thread": self.thread,
            "possible_on": self.possible_on,
            "every_order": self.every_order.as_json() if self.every_order else None,
            "schedule": str(self.schedule) if self.schedule else None,
            "execution": self.execution,
            "details": list(self.details),
            "notes": list(self.notes),
            "steps": [event.as_json() for event in self.steps],
            "preemptions": [stop.as_json() for stop in self._stops()],
            **({"options": self.replay_options.as_json()} if self.replay_options != DEFAULT_REPLAY_OPTIONS else {}),
            **({"waits": [wait.as_json() for wait in self.waits]} if self.waits else {}),
            **({"place": self.place.as_json()} if self.place else {}),
        }

    def _stops(self) -> list[Preemption]:
        """The preemptions, where `before` counts `steps` instead of all events."""
        shared = {id(event) for event in self.steps}
        before = [0]
        for event in self.trace:
            before.append(before[-1] + (id(event) in shared))
        return [replace(stop, before=before[min(stop.before, len(self.trace))]) for stop in self.preemptions]

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Finding:
        """Return the finding that `as_json` wrote, now or in an earlier version; what is missing is empty."""
        execution = value.get("execution")
        waits = (Wait.from_json(wait) for wait in _mappings(value.get("waits")))
        return cls(
            kind=str(value.get("kind") or ""),
            message=str(value.get("message") or ""),
            thread=str(value.get("thread") or ""),
            possible_on=str(value.get("possible_on") or THIS_INTERPRETER),
            every_order=EveryOrder.from_json(value.get("every_order")),
            schedule=_schedule(value.get("schedule")),
            trace=Trace(tuple(map(Event.from_json, _mappings(value.get("steps"))))),
            details=tuple(map(str, value.get("details") or ())),
            notes=tuple(map(str, value.get("notes") or ())),
            preemptions=tuple(map(Preemption.from_json, _mappings(value.get("preemptions")))),
            execution=execution if isinstance(execution, int) else 0,
            replay_options=ReplayOptions.from_json(value.get("options")),
            waits=tuple(wait for wait in waits if wait is not None),
            place=Place.from_json(value.get("place")),
        )


def _mappings(values: object) -> list[Mapping[str, Any]]:
    return [value for value in values if isinstance(value, dict)] if isinstance(values, (list, tuple)) else []


def _schedule(text: str | None) -> Schedule | None:
    try:
        return Schedule.parse(text) if text else None
    except ScheduleError:  # another program wrote it
        return None
