"""A trace: the events of one execution, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from raddle.event import Event


@dataclass(frozen=True, slots=True)
class Trace:
    """What one execution did.

    >>> one = Event("T1", "read", "C.n", 1, "c.py", 3)
    >>> two = Event("T2", "write", "C.n", 1, "c.py", 4)
    >>> Trace((one, two)).difference(Trace((one,)))
    (1, Event(thread='T2', kind='write', variable='C.n', object=1, file='c.py', line=4, site=0, value=''), None)
    """

    events: tuple[Event, ...]

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def difference(self, other: Trace) -> tuple[int, Event | None, Event | None] | None:
        """The first step in which two traces differ, with both events; None if they are the same."""
        for index in range(max(len(self), len(other))):
            mine = self.events[index] if index < len(self) else None
            theirs = other.events[index] if index < len(other) else None
            if mine is None or theirs is None or mine.key != theirs.key:
                return index, mine, theirs
        return None

    def shared(self) -> Trace:
        """Only what concerns more than one thread: accesses to shared variables, and synchronization."""
        threads: dict[tuple[int, str], set[str]] = {}
        for event in self.events:
            threads.setdefault((event.object, event.variable), set()).add(event.thread)
        return Trace(
            tuple(
                e
                for e in self.events
                if e.kind not in ("read", "write", "delete") or len(threads[e.object, e.variable]) > 1
            )
        )
