"""Records the events of a single thread with the objects that they refer to.

Unlike the steps of `raddle.observers.steps`, these events include accesses to variables that only one thread uses, and
they name variables and locks by the objects themselves, so that the executions of two sequences can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.engine.observer import Observer
from raddle.engine.variables import Variable
from raddle.generation.autocontest.coverage import CallTrace, TraceEvent
from raddle.generation.binding import is_test_site
from raddle.operation import (
    ACCESSES,
    ACQUIRE,
    CALLS,
    CLEAR,
    ENTER,
    GIVES,
    LEAVE,
    READ,
    REENTER,
    RELEASE,
    TAKES,
    WAIT,
    WOKEN,
    WRITE,
    Kind,
)

_RECORDED = GIVES | TAKES | {CLEAR}


class Event(NamedTuple):
    """One event of a call, with the object that it refers to: the owner of a variable, a lock, or None for calls."""

    kind: str
    site: int
    owner: object
    name: str  # name of the variable; "" for other events

    @property
    def is_access(self) -> bool:
        """Whether the event accesses a variable."""
        return self.kind in ACCESSES


def trace_of(events: Sequence[Event]) -> CallTrace:
    """Return the call trace of an outermost call with these events.

    >>> trace_of([Event("read", 70001, None, "x")])
    (TraceEvent(kind='read', site=70001),)
    """
    return tuple([_trace_event(kind, site) for kind, site, _, _ in events])


_trace_event = lru_cache(maxsize=10_000)(TraceEvent)  # most events occur many times


class EventRecorder(Observer):
    """Records the events of the first thread of an execution.

    The sites of the test itself are left out: only the class under test and what it calls count.
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.total = 0  # number of events of all executions so far, except those since the last `take`
        self._acquired_at: dict[int, list[int]] = {}  # maps the id of a lock to the sites of its current acquires

    def begin(self, engine: Engine) -> None:
        self.take()
        self._acquired_at = {}

    def take(self) -> list[Event]:
        """Return the events since the last call of this method."""
        events, self.events = self.events, []
        self.total += len(events)
        return events

    def _add(self, me: Carrier, kind: str, site: int, owner: object, name: str = "") -> None:
        if me.index == 0 and not is_test_site(site):
            self.events.append(Event(kind, site, owner, name))

    def accessed(self, me: Carrier, kind: Kind, variable: Variable, site: int, value: object) -> None:
        if me.index == 0 and not is_test_site(site):
            self.events.append(Event(READ if kind == READ else WRITE, site, variable.owner, variable.name))

    def entered(self, me: Carrier, site: int) -> None:
        self._add(me, ENTER, site, None)

    def left(self, me: Carrier, site: int) -> None:
        self._add(me, LEAVE, site, None)

    def happened(self, me: Carrier, kind: Kind, target: Any, value: object = None) -> None:
        if kind == ACQUIRE:
            self._acquire(me, kind, target)
        elif kind == RELEASE:
            self._release(me, target)
        elif kind == WAIT:  # waiting on a condition releases its lock
            self._release(me, target._lock)
            self._add(me, WAIT, me.site, target)
        elif kind == WOKEN:
            if value:
                self._add(me, WOKEN, me.site, target)
            self._acquire(me, ACQUIRE, target._lock)
        elif kind in _RECORDED and kind not in CALLS and not isinstance(target, Carrier):
            self._add(me, kind, me.site, target)

    def noted(self, me: Carrier, kind: Kind, target: Any) -> None:
        if kind == REENTER:
            self._add(me, REENTER, me.site, target)

    def _acquire(self, me: Carrier, kind: Kind, lock: object) -> None:
        self._acquired_at.setdefault(id(lock), []).append(me.site)
        self._add(me, kind, me.site, lock)

    def _release(self, me: Carrier, lock: object) -> None:
        # The site of the acquire identifies the critical section, whichever statement it ends with.
        sites = self._acquired_at.get(id(lock))
        self._add(me, RELEASE, sites.pop() if sites else me.site, lock)
