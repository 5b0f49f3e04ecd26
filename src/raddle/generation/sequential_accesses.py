"""The accesses of each thread in one sequential run of a test, with the facts that rule out patterns.

The facts are those of one run: which access of a thread came before which, which locks the thread held, and which
accesses thread starts and joins order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from raddle.analysis.happens_before import HappensBefore
from raddle.entities import Entities
from raddle.generation.raw_patterns import is_countable
from raddle.operation import ACQUIRE, END, JOIN, READ, RELEASE, START, WRITE
from raddle.static_model import VariableName
from raddle.step import Step

Locks = frozenset[int]
_Sections = frozenset[tuple[int, int]]  # held locks, each with the number of its critical section
_ORDERING = frozenset({START, JOIN, END})


class ThreadAccess(NamedTuple):
    """All accesses of one kind that a thread made to a variable at one site."""

    kind: str
    variable: int  # number of the variable in the run
    site: int


class ThreadAccesses:
    """The accesses of one thread."""

    def __init__(self) -> None:
        self.by_variable: dict[tuple[str, int], list[ThreadAccess]] = {}
        self._sections: dict[ThreadAccess, _Sections] = {}  # critical sections that contain every occurrence
        self._locks: dict[ThreadAccess, Locks] = {}  # locks held at every occurrence
        # Maps two accesses, the second after the first, to the locks held in between at every such pair of occurrences.
        self._kept: dict[tuple[ThreadAccess, ThreadAccess], Locks] = {}
        self._first_clocks: dict[ThreadAccess, dict[int, int]] = {}  # the clock of the first occurrence
        self._last_epochs: dict[ThreadAccess, tuple[int, int]] = {}  # the epoch of the last occurrence

    def add(self, access: ThreadAccess, sections: _Sections, order: HappensBefore, thread: int) -> None:
        """Add an occurrence, at the current position of the run."""
        for earlier, within in self._sections.items():
            kept = frozenset(lock for lock, _ in within & sections)
            known = self._kept.get((earlier, access))
            self._kept[earlier, access] = kept if known is None else known & kept
        locks = frozenset(lock for lock, _ in sections)
        if access in self._sections:
            self._sections[access] &= sections
            self._locks[access] &= locks
        else:
            self._sections[access], self._locks[access] = sections, locks
            self.by_variable.setdefault((access.kind, access.variable), []).append(access)
            self._first_clocks[access] = dict(order.thread_clock(thread).clock)
        self._last_epochs[access] = order.epoch(thread)

    def follows(self, first: ThreadAccess, second: ThreadAccess) -> bool:
        """Return whether the thread made the second access after the first one."""
        return (first, second) in self._kept

    def kept(self, first: ThreadAccess, second: ThreadAccess) -> Locks:
        """Return the locks that the thread always held from the first access to the second one."""
        return self._kept.get((first, second), frozenset())

    def ordered(self) -> Iterator[tuple[ThreadAccess, ThreadAccess, Locks]]:
        """Yield the pairs of accesses, in order, with the locks that are always kept between them."""
        return ((first, second, kept) for (first, second), kept in self._kept.items())

    def separable(self) -> Iterator[tuple[ThreadAccess, ThreadAccess]]:
        """Yield the pairs of accesses, in order, between which no lock is always kept."""
        return (pair for pair, kept in self._kept.items() if not kept)

    def locks(self, access: ThreadAccess) -> Locks:
        """Return the locks that the thread always held at an access."""
        return self._locks[access]

    def can_precede(self, access: ThreadAccess, other: ThreadAccesses, later: ThreadAccess) -> bool:
        """Return whether starts and joins allow an access before one by another thread."""
        slot, time = other._last_epochs[later]
        return self._first_clocks[access].get(slot, 0) < time


class SequentialAccesses:
    """The accesses of all threads but the first in one run.

    >>> from raddle.entities import AbstractVariable, make_entities
    >>> entities = make_entities(variables=[AbstractVariable("log.py:Log", "", "th")])
    >>> steps = [(1, "acquire", 0, 0), (1, "read", 0, 4), (1, "read", 0, 5), (1, "release", 0, 0), (2, "write", 0, 9)]
    >>> run = SequentialAccesses(steps, entities)
    >>> first, second = run.threads[1].by_variable["read", 0]
    >>> run.threads[1].follows(first, second), run.threads[1].follows(second, first), run.threads[1].kept(first, second)
    (True, False, frozenset({0}))
    """

    def __init__(self, steps: Sequence[Step], entities: Entities) -> None:
        self._entities = entities
        self.threads: dict[int, ThreadAccesses] = {}
        held: dict[int, tuple[int, int]] = {}  # maps a lock to its holder and the number of the critical section
        order, numbers = HappensBefore(), 0
        for step in steps:
            thread, kind, target, site = step
            if kind == ACQUIRE:
                numbers += 1
                held[target] = thread, numbers
            elif kind == RELEASE:
                held.pop(target, None)
            elif kind in _ORDERING:
                order.step(thread, kind, target)
            elif is_countable(step):
                sections = frozenset((lock, number) for lock, (holder, number) in held.items() if holder == thread)
                access = ThreadAccess(str(READ if kind == READ else WRITE), target, site)
                self.threads.setdefault(thread, ThreadAccesses()).add(access, sections, order, thread)

    def name(self, variable: int) -> VariableName:
        """Return the name of a variable."""
        abstract = self._entities.variables[variable]
        return abstract.owner, abstract.name


def nests_locks(steps: Iterable[Step]) -> bool:
    """Return whether a thread acquired a lock while it held another one.

    >>> first, second = (1, "acquire", 0, 4), (1, "acquire", 1, 5)
    >>> nests_locks([first, second]), nests_locks([first, (1, "release", 0, 4), second])
    (True, False)
    """
    held: dict[int, set[int]] = {}
    for thread, kind, target, _ in steps:
        if kind == ACQUIRE:
            if held.setdefault(thread, set()) - {target}:
                return True
            held[thread].add(target)
        elif kind == RELEASE:
            held.get(thread, set()).discard(target)
    return False
