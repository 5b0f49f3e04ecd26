"""A wait: a thread that is blocked when no thread can continue, and the operation that it cannot complete."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from raddle.operation import JOIN, KINDS, OF_RANKS, SLEEP, Kind
from raddle.place import Place


def _acquired(place: Place | None) -> str:
    return f" (acquired at {place})" if place else ""


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock that a thread holds: its class or name, and where the thread acquired it."""

    name: str
    acquired_at: Place | None = None

    def __str__(self) -> str:
        return self.name + _acquired(self.acquired_at)


@dataclass(frozen=True, slots=True)
class Wait:
    """A blocked thread, the operation that it cannot complete, and the locks that it holds.

    >>> print(Wait("T1", KINDS["acquire"], "Lock", "T2", Place("m.py", 24), Place("m.py", 20), (Lock("Lock"),)))
    T1 waits at m.py:20 to acquire Lock, held by T2 (acquired at m.py:24); it holds Lock
    >>> print(Wait("T0", JOIN, waits_for="T1"))
    T0 waits to join T1
    >>> print(Wait("T1", KINDS["task-done"], "Queue"))
    T1 waits before it marks a task as done in Queue
    """

    thread: str
    kind: Kind
    resource: str = ""  # class or name of the resource; "" if the thread waits for another thread to end
    waits_for: str = ""  # the thread that holds the resource, or that must end
    acquired_at: Place | None = None  # where the thread `waits_for` acquired the resource
    place: Place | None = None  # where the thread is blocked
    holds: tuple[Lock, ...] = ()

    @property
    def sentence(self) -> str:
        """The operation with its resource: "waits to acquire Lock"."""
        subject = self.waits_for if self.kind == JOIN else "" if self.kind == SLEEP else self.resource
        return f"{self.kind.waiting or f'waits before it {self.kind.verb}'} {subject}".rstrip()

    def __str__(self) -> str:
        verb, space, rest = self.sentence.partition(" ")
        line = f"{self.thread} {verb}{f' {self.place.phrase}' if self.place else ''}{space}{rest}"
        if self.waits_for and self.kind != JOIN and self.kind not in OF_RANKS:
            line += f", held by {self.waits_for}{_acquired(self.acquired_at)}"
        return line + ("; it holds " + ", ".join(map(str, self.holds)) if self.holds else "")

    def as_json(self) -> dict[str, Any]:
        return {
            "thread": self.thread,
            "operation": str(self.kind),
            "resource": self.resource,
            "waits_for": self.waits_for,
            "acquired_at": self.acquired_at and self.acquired_at.as_json(),
            "place": self.place and self.place.as_json(),
            "holds": [
                {"name": lock.name, "acquired_at": lock.acquired_at and lock.acquired_at.as_json()}
                for lock in self.holds
            ],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Wait | None:
        """Return the wait represented by the output of `as_json`; None if its kind of operation is unknown."""
        kind = KINDS.get(str(value.get("operation")))
        if kind is None:
            return None
        return cls(
            thread=str(value.get("thread", "")),
            kind=kind,
            resource=str(value.get("resource", "")),
            waits_for=str(value.get("waits_for", "")),
            acquired_at=Place.from_json(value.get("acquired_at")),
            place=Place.from_json(value.get("place")),
            holds=tuple(
                Lock(str(lock.get("name", "")), Place.from_json(lock.get("acquired_at")))
                for lock in value.get("holds") or ()
            ),
        )
