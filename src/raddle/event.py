"""An event: something a thread did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from raddle.operation import CONTENT


def datum(number: int, variable: str) -> tuple[int, str]:
    """Return what a step is about: the source may have several names for the content of one container.

    >>> datum(7, "self.items[]") == datum(7, "list[]"), datum(7, "Cart.n")
    (True, (7, 'Cart.n'))
    """
    return number, CONTENT if variable.endswith(CONTENT) else variable


@dataclass(frozen=True, slots=True)
class Event:
    """One step of one thread.

    Objects are numbered in the order in which an execution first sees them, so that the same schedule
    gives the same events in every process.

    >>> print(Event("T1", "write", "Counter.value", 1, "counter.py", 6, value="1"))
    T1 counter.py:6 write Counter.value = 1
    """

    thread: str
    kind: str
    variable: str  # for people: "Counter.value", "self.items[]", "Lock 2"
    object: int  # number of the object, 0 where there is none
    file: str
    line: int
    site: int = 0
    value: str = ""  # short, for people; takes no part in comparisons of traces

    @property
    def datum(self) -> tuple[int, str]:
        """What it is about, see `datum`."""
        return datum(self.object, self.variable)

    @property
    def key(self) -> tuple[str, str, str, int, str, int]:
        """What makes two events of two executions the same."""
        return (self.thread, self.kind, self.variable, self.object, self.file, self.line)

    def __str__(self) -> str:
        shown = f" = {self.value}" if self.value else ""
        return f"{self.thread} {self.file}:{self.line} {self.kind} {self.variable}{shown}".replace("  ", " ")

    def as_json(self) -> dict[str, Any]:
        return {
            "thread": self.thread,
            "file": self.file,
            "line": self.line,
            "operation": self.kind,
            "variable": self.variable,
            "object": self.object,
            "value": self.value,
        }

    @classmethod
    def from_json(cls, step: Mapping[str, Any]) -> Event:
        """Return the event that `as_json` wrote; what is missing is empty.

        >>> print(Event.from_json({"thread": "T1", "file": "log.py", "line": 9, "operation": "read", "variable": "n"}))
        T1 log.py:9 read n
        """
        return cls(
            thread=str(step.get("thread", "")),
            kind=str(step.get("operation", "")),
            variable=str(step.get("variable", "")),
            object=int(step.get("object") or 0),
            file=str(step.get("file", "")),
            line=int(step.get("line") or 0),
            value=str(step.get("value", "")),
        )


@dataclass(frozen=True, slots=True)
class Preemption:
    """A thread was stopped that could have continued."""

    before: int  # index of the next event in the trace
    thread: str
    place: str  # where it stood, as a schedule names it
    with_gil: bool = True  # could CPython with the GIL have switched there?

    def as_json(self) -> dict[str, Any]:
        return {"before": self.before, "thread": self.thread, "place": self.place, "with_gil": self.with_gil}

    @classmethod
    def from_json(cls, stop: Mapping[str, Any]) -> Preemption:
        return cls(
            before=int(stop.get("before") or 0),
            thread=str(stop.get("thread", "")),
            place=str(stop.get("place", "")),
            with_gil=bool(stop.get("with_gil", True)),
        )
