"""A finding: a failure that an execution revealed, with the schedule that reproduces it."""

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
ANY_MPI = "any-mpi"
WITHOUT_BUFFERING = "without-buffering"


@dataclass(frozen=True, slots=True)
class Finding:
    """A failure of a scenario: what went wrong, on which interpreters it can happen, and how to reproduce it."""

    kind: str  # an OutcomeKind; data files of later versions may contain other kinds
    message: str
    thread: str
    possible_on: str  # THIS_INTERPRETER, FREE_THREADED_ONLY, ANY_MPI or WITHOUT_BUFFERING
    schedule: Schedule | None  # None if no schedule reproduces the failure, for example if the code is nondeterministic
    trace: Trace = field(repr=False)
    details: tuple[str, ...] = field(default=(), repr=False)  # lines of the traceback, or a description of the waits
    preemptions: tuple[Preemption, ...] = ()
    # Maps file names in the trace to paths.
    paths: dict[str, str] = field(default_factory=dict, repr=False, compare=False)
    execution: int = 0  # number of the first execution that failed this way
    error: BaseException | None = field(default=None, repr=False, compare=False)
    every_order: EveryOrder | None = None  # set if the failure does not depend on the interleaving
    # Options that a replay needs in addition to the schedule.
    replay_options: ReplayOptions = field(default=DEFAULT_REPLAY_OPTIONS, repr=False)
    notes: tuple[str, ...] = field(default=(), repr=False)  # notes of the exception (PEP 678), also part of `details`
    waits: tuple[Wait, ...] = field(default=(), repr=False)  # set if no thread could continue; also part of `details`
    place: Place | None = None  # where the exception was raised, or where the thread waits
    signature: tuple[str, ...] = field(default=(), repr=False, compare=False)  # see `Outcome`; not stored

    @property
    def replaying(self) -> ReplayOptions:
        """The former name of `replay_options`, kept as an alias."""
        return self.replay_options

    @property
    def steps(self) -> tuple[Event, ...]:
        """The steps that concern more than one thread."""
        return tuple(e for e in self.trace.shared() if e.kind not in (ENTER, LEAVE))

    def as_json(self) -> dict[str, Any]:
        """Return the finding as JSON data, with the steps that concern more than one thread."""
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
        """Return the preemptions, with `before` as an index into `steps` instead of into the whole trace."""
        shared = {id(event) for event in self.steps}
        before = [0]
        for event in self.trace:
            before.append(before[-1] + (id(event) in shared))
        return [replace(stop, before=before[min(stop.before, len(self.trace))]) for stop in self.preemptions]

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Finding:
        """Return the finding represented by the output of `as_json`, from this or an earlier version.

        Missing fields are left empty.
        """
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
    except ScheduleError:  # the data file contains a schedule that this version cannot parse
        return None
