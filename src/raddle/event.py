"""An event: one recorded step of a thread, as shown in stories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from raddle.operation import CONTENT


def datum(number: int, variable: str) -> tuple[int, str]:
    """Return a key for the variable of an event; all names for the content of one container share a key.

    >>> datum(7, "self.items[]") == datum(7, "list[]"), datum(7, "Cart.n")
    (True, (7, 'Cart.n'))
    """
    return number, CONTENT if variable.endswith(CONTENT) else variable


@dataclass(frozen=True, slots=True)
class Event:
    """One step of one thread.

    Objects are numbered in the order in which an execution first sees them, so the same schedule yields the same events
    in every process.

    >>> print(Event("T1", "write", "Counter.value", 1, "counter.py", 6, value="1"))
    T1 counter.py:6 write Counter.value = 1
    """

    thread: str
    kind: str
    variable: str  # human-readable: "Counter.value", "self.items[]", "Lock 2"
    object: int  # number of the object, 0 if there is none
    file: str
    line: int
    site: int = 0
    value: str = ""  # a short, human-readable text; ignored when traces are compared

    @property
    def datum(self) -> tuple[int, str]:
        """The key of the variable; see the function `datum`."""
        return datum(self.object, self.variable)

    @property
    def key(self) -> tuple[str, str, str, int, str, int]:
        """The fields that matter when the events of two executions are compared."""
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
        """Return the event represented by the output of `as_json`. Missing fields are left empty.

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
    """A switch away from a thread that could have continued."""

    before: int  # index of the next event in the trace
    thread: str
    place: str  # where the thread was preempted, in the notation of schedules
    with_gil: bool = True  # whether CPython with the GIL can switch threads there

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
