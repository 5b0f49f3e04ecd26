"""The source text of generated programs: the lines at the beginning of every program, and a writer for the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

HEAD = """\
import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from coverage_log import at, between, born, note, pool, submitted, task

total = 0


class Box:
    count = 0

    def __init__(self, me):
        at()
        note("enter", me + " Box.__init__", "14")
        at()
        self.a = 0
        note("early write", me + ".a", "18w")
        at()
        self.b = 0
        note("early write", me + ".b", "21w")
        at()
        self.items = []
        note("made", me + ".items", "24w")
        at()
        self.table = {}
        note("made", me + ".table", "27w")
        at()
        note("leave", me + " Box.__init__", "14")

    def bump(self, me):
        at()
        note("enter", me + " Box.bump", "32")
        at()
        self.a += between("read", me + ".a", "36r")
        note("write", me + ".a", "36w")
        at()
        note("leave", me + " Box.bump", "32")

    def look(self, me):
        at()
        note("enter", me + " Box.look", "41")
        at()
        seen = self.b
        note("read", me + ".b", "45r")
        at()
        note("leave", me + " Box.look", "41")
        return seen


class Crate(Box):
    pass


class Plain:
    pass


@dataclass
class Card:
    a: int = 0
    b: int = 0


def make(kind, *arguments):
    at()
    note("enter", "make", "66")
    at()
    note("leave", "make", "66")
    return kind(*arguments)


def counter():
    at()
    note("enter", "counter", "74")
    at()
    inner = 0
    note("early write", "inner", "78w")

    def tick():
        nonlocal inner
        at()
        note("enter", "counter.<locals>.tick", "81")
        at()
        inner += between("read", "inner", "86r")
        note("write", "inner", "86w")
        at()
        note("leave", "counter.<locals>.tick", "81")

    at()
    note("leave", "counter", "74")
    return tick
"""
FACTORY_LINE = 71  # the line on which `make` creates an object
BASES = {"Crate": "Box"}  # maps a class to the base class that defines its attributes
OWN = {"Crate": ("lid",)}  # maps a class with a base class to the attributes that the base class does not define
CONSTRUCTED = ("Box", "Crate")  # classes that have methods, containers and a constructor that logs


class Named(NamedTuple):
    """The entity that a name in a log represents: a resource, or an object with variables."""

    kind: str
    line: int  # the line that creates the entity


@dataclass
class Program:
    """The text of a program, and the entities that its names represent."""

    seed: int
    text: str = ""
    resources: dict[str, Named] = field(default_factory=dict)
    objects: dict[str, Named] = field(default_factory=dict)
    permits: dict[str, int] = field(default_factory=dict)  # maps semaphores to their initial permits
    room: dict[str, int] = field(default_factory=dict)  # maps queues to their capacity; 0 means unbounded
    threads: dict[str, str] = field(default_factory=dict)  # maps each thread's label to the function it runs
    features: frozenset[str] = frozenset()
    workers: int = 0  # number of pool workers; 0 if the program has no pool

    def __str__(self) -> str:
        return "\n".join(f"{number:4} {line}" for number, line in enumerate(self.text.splitlines(), 1))


Item = Callable[["Writer"], None]


class Writer:
    """Collects lines of source and tracks their numbers."""

    def __init__(self) -> None:
        self.lines = HEAD.splitlines()
        self.indent = 0

    @property
    def next(self) -> int:
        return len(self.lines) + 1

    def add(self, line: str) -> int:
        self.lines.append("    " * self.indent + line if line else "")
        return len(self.lines)

    def do(self, line: str, *notes: tuple[str, str, str], waits_for: str = "") -> None:
        """Write an operation on one line, followed by its notes.

        Each note has a kind, a target and a suffix for the site.
        """
        number = self.next + 1
        self.add(f'at("{waits_for}", "{number}")' if waits_for else "at()")
        self.add(line.replace("LINE", str(number)))
        for kind, target, suffix in notes:
            self.add(f'note("{kind}", "{target}", "{number}{suffix}")')

    def under(self, line: str, body: Sequence[Item], *, taken: str, given: str, target: str) -> None:
        """Write a `with` statement around `body`.

        The program notes when the statement acquires the target and when it releases the target.
        """
        number = self.next + 1
        self.add(f'at("{target}", "{number}")')
        self.add(line)
        self.indent += 1
        self.add(f'note("{taken}", "{target}", "{number}")')
        for item in body:
            item(self)
        self.add("at()")
        self.indent -= 1
        self.add(f'note("{given}", "{target}", "{number}")')
