"""An event: something a thread did."""

from __future__ import annotations

from dataclasses import dataclass


def datum(number: int, variable: str) -> tuple[int, str]:
    """What a step is about: the source may have several names for the content of one container.

    >>> datum(7, "self.items[]") == datum(7, "list[]"), datum(7, "Cart.n")
    (True, (7, 'Cart.n'))
    """
    return number, "[]" if variable.endswith("[]") else variable


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


@dataclass(frozen=True, slots=True)
class Preemption:
    """A thread that could have gone on was stopped."""

    before: int  # index of the next event in the trace
    thread: str
    place: str  # where it stood, as a schedule names it
    with_gil: bool = True  # could CPython with the GIL have switched there?
