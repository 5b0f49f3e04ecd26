"""A trace: the events of one execution, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raddle.event import Event
from raddle.operation import ACCESSES


@dataclass(frozen=True, slots=True)
class Trace:
    """The events of one execution, in order.

    >>> one = Event("T1", "read", "C.n", 1, "c.py", 3)
    >>> two = Event("T1", "read", "C.m", 1, "c.py", 3)
    >>> three = Event("T2", "write", "C.n", 1, "c.py", 4)
    >>> [event.kind for event in Trace((one, two, three)).shared()]
    ['read', 'write']
    """

    events: tuple[Event, ...]

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def shared(self) -> Trace:
        """Return the events that concern more than one thread: accesses to shared variables, and synchronization."""
        threads: dict[tuple[int, str], set[str]] = {}
        for event in self.events:
            threads.setdefault(event.datum, set()).add(event.thread)
        return Trace(tuple(e for e in self.events if e.kind not in ACCESSES or len(threads[e.datum]) > 1))
