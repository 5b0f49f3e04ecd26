"""Reads executions from small drawings, and lists the requirements they cover.

Threads are columns, and time runs downwards.

    T1             T2
    read x :4
                   write x :9
    read x :5

For the criteria of message-passing programs, the drawing is a program instead. Rank 0 runs its function `master`, and
rank 1 runs `worker`.

A step consists of a kind, a variable or resource, and a line number. `raddle.step` lists the kinds. Line numbers refer
to a file `c.py` with one object of class C, whose attributes are the variables. Locks and queues are resources.
"""

from __future__ import annotations

import re
import tempfile
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

import raddle
from raddle.criteria import MESSAGES, make_criteria
from raddle.entities import AbstractObject, AbstractVariable, Entities
from raddle.site import Site
from raddle.step import Step

SITES = 70_000  # site number of line 0
THREADS = {"T1": 1, "T2": 2}
KINDS = {"lock": "Lock", "queue": "Queue"}


@dataclass
class Drawing:
    """An execution read from its drawing."""

    entities: Entities = field(default_factory=Entities)
    steps: list[Step] = field(default_factory=list)
    sites: dict[int, Site] = field(default_factory=dict)
    _numbers: dict[tuple[str, str], int] = field(default_factory=dict)

    def covered(self, name: str) -> list[str]:
        """Return the requirements of a criterion that the execution covers, as sorted sentences."""
        [criterion] = make_criteria(name)
        keys = criterion.cover(self.steps, self.entities)
        return sorted(criterion.explain(key, self.sites) for key in keys)

    def add(self, thread: int, kind: str, about: str, line: int) -> None:
        """Add a step."""
        site = SITES + line if line else 0
        if site:
            function = about if kind in ("enter", "leave") else "f"
            self.sites[site] = Site("c.py", line, 0, kind, about, function, switchable=True)
        self.steps.append((thread, kind, self._target(kind, about, site), site))

    def _target(self, kind: str, about: str, site: int) -> int:
        if kind in ("read", "write"):
            return self._number("variable", about)
        if kind in ("enter", "leave"):
            self.entities.functions[site] = f"c.py:C.{about}"
            return 1
        if kind in ("start", "join"):
            return THREADS[about]
        if kind in ("begin", "end", "block"):
            return 0
        return self._number("resource", about)

    def _number(self, kind: str, name: str) -> int:
        known = self._numbers.get((kind, name))
        if known is None:
            if kind == "variable":
                known = self.entities.add_variable(AbstractVariable("c.py:C", "", name), 1)
            else:
                word = next((KINDS[start] for start in KINDS if name.startswith(start)), "Lock")
                known = self.entities.add_resource(AbstractObject(word, f"c.py:{len(self._numbers) + 1}"))
            self._numbers[kind, name] = known
        return known


def read(text: str) -> Drawing:
    """Parse a drawing of an execution.

    >>> read("T1        T2\\nread x :1\\n          write x :2\\n").covered("lr-def")
    ['thread T1 reads `C.x` at c.py:1 and gets a value that no other thread wrote']
    """
    drawing = Drawing()
    for actor in ("main", "one", "two"):
        drawing.entities.add_actor(actor)
    drawing.steps += [(0, "start", thread, 0) for thread in THREADS.values()]
    head, *lines = text.strip("\n").splitlines()
    columns = [(match.start(), THREADS[match[0]]) for match in re.finditer(r"\w+", head)]
    for line in filter(str.strip, lines):
        indent = len(line) - len(line.lstrip())
        thread = max((column for column in columns if column[0] <= indent), default=columns[0])[1]
        match = re.fullmatch(r"(\S+)(?: ([\w.]+))?(?: +:(\d+))?", line.strip())
        if match is None:
            raise ValueError(f"a step is drawn as `read x :4`, not as {line.strip()!r}")
        drawing.add(thread, match[1], match[2] or "", int(match[3] or 0))
    return drawing


def covered_by_program(name: str, text: str) -> list[str]:
    """Return the requirements of a criterion that a message-passing program covers, as sorted sentences."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "c.py")
        path.write_text(text.strip("\n") + "\n" + _START)
        record = raddle.messages.explore(path, ranks=2, criteria=name, sends="buffered").record
    assert record is not None
    [criterion] = make_criteria(name)
    return sorted(criterion.explain(key, record.sites) for key in record.tally.covered[name])


_START = """
from mpi4py import MPI
comm = MPI.COMM_WORLD
if comm.rank == 0:
    master(3)
else:
    worker()
"""


def with_sentences(name: str, text: str) -> str:
    """Return the drawing as the page shows it, followed by the requirements it covers."""
    sentences = covered_by_program(name, text) if name in MESSAGES else read(text).covered(name)
    lines = [
        part
        for sentence in sentences
        for part in textwrap.wrap(sentence, 84, initial_indent="* ", subsequent_indent="  ")
    ]
    return "\n".join([text.strip("\n"), "", "covers:", *lines, ""])
