"""Touched objects: what threads did to one object, under which locks, and in which order by start and join.

A run of two accesses is kept together by a lock if *every* earlier occurrence of the first, by the same thread, was in
the critical section that the second is in. For that the first occurrence is enough: sections follow each other.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from raddle.analysis.happens_before import ThreadClock
from raddle.entities import AbstractObject
from raddle.pruning_facts import Access, Guard, LockDiscipline, Rows, trimmed

MAX_KNOWN = 1000  # objects of one owner whose like is recognised when it comes again


class Owner:
    """What all executions showed about the objects of one owner; accesses are numbered as they come."""

    __slots__ = ("_known", "after", "before", "discipline", "numbers")

    def __init__(self) -> None:
        self.numbers: dict[Access, int] = {}
        self.before: list[int] = []  # by access: a mask of those that can come before it in another thread
        self.after: list[int] = []  # by access: those that can come after it
        self.discipline = LockDiscipline()
        self._known: set[Hashable] = set()

    def number(self, access: Access) -> int:
        """Of an access, which may be new."""
        number = self.numbers.get(access)
        if number is None:
            number = self.numbers[access] = len(self.numbers)
            self.before.append(0)
            self.after.append(0)
        return number

    def add(self, whole: TouchedObject, names: Sequence[AbstractObject]) -> None:
        """One more object was seen, with locks of these names."""
        seen = whole.seen(names)
        if seen not in self._known:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known.add(seen)
            self.discipline += whole.discipline(names)


class Toucher:
    """What one thread did to one object."""

    __slots__ = ("closed", "done", "open")

    def __init__(self) -> None:
        self.done = 0  # a mask of accesses
        self.open: dict[int, tuple[tuple[int, int], ...]] = {}  # locks and sections of an access's first occurrence
        self.closed = 0  # the accesses whose first occurrence is in no section that still goes on


class TouchedObject:
    """One object of one execution."""

    __slots__ = (
        "_common", "_epochs", "_first", "_locks", "_once", "_owner", "_runs", "_split", "_touchers", "_twice",
        "shared", "version",
    )  # fmt: skip

    def __init__(self, owner: Owner, first: int) -> None:
        self.version = 0  # grows with everything that matters to other threads
        self.shared = False  # have several threads touched it?
        self._first = first  # the first of them
        self._touchers: dict[int, Toucher] = {}  # those that are alive
        self._owner = owner
        self._once = 0  # the accesses that a thread did
        self._twice = 0  # the accesses that two threads did
        self._locks: dict[int, frozenset[int]] = {}  # by access: held each time
        self._runs: dict[int, int] = {}  # by the second access
        self._split: dict[int, int] = {}  # those of them that no lock keeps together
        self._common: dict[tuple[int, int], frozenset[int]] = {}  # the locks that keep one together
        self._epochs: dict[int, dict[int, int]] = {}  # by access: by thread's slot the last time, if nobody later knew

    def toucher(self, thread: int) -> Toucher:
        """A thread comes; it may have been here before."""
        toucher = self._touchers.get(thread)
        if toucher is None:
            toucher = self._touchers[thread] = Toucher()
            self.shared = self.shared or thread != self._first
        return toucher

    def leave(self, thread: int) -> None:
        """A thread has ended: it does not come back."""
        self._touchers.pop(thread, None)

    def touch(self, me: Toucher, number: int, held: dict[int, int], locks: frozenset[int]) -> None:
        """A thread does an access, under locks."""
        if me.open or me.done & ~self._split.get(number, 0):
            self._run(me, number, held)
        always = self._locks.get(number)
        if always is None or not always <= locks:
            self._locks[number] = locks if always is None else always & locks
        bit = 1 << number
        if not me.done & bit:
            me.done |= bit
            if held:
                me.open[number] = tuple(held.items())
            else:
                me.closed |= bit
            self._twice |= self._once & bit
            self._once |= bit
            self.version += 1

    def order(self, me: Toucher, number: int, thread_clock: ThreadClock) -> None:
        """A thread does an access, after others did some: which of those could have come later?"""
        others = self._twice | self._once & ~me.done
        before, after, bit = self._owner.before, self._owner.after, 1 << number
        for other in bits(others & ~before[number]):
            before[number] |= 1 << other
            after[other] |= bit
        for other in bits(others & ~after[number]):
            if not all(thread_clock.knows(slot, time) for slot, time in self._epochs[other].items()):
                after[number] |= 1 << other
                before[other] |= bit
        epochs = self._epochs.setdefault(number, {})
        if epochs.get(thread_clock.slot) != thread_clock.time:
            for slot in [slot for slot, time in epochs.items() if thread_clock.knows(slot, time)]:
                del epochs[slot]  # whoever does not know of that does not know of this either
            epochs[thread_clock.slot] = thread_clock.time
            self.version += 1

    def _run(self, me: Toucher, number: int, held: dict[int, int]) -> None:
        """The thread does an access after others."""
        self._runs[number] = self._runs.get(number, 0) | me.done
        split = self._split.get(number, 0) | me.closed
        for first, sections in list(me.open.items()):
            kept = frozenset(lock for lock, section in sections if held.get(lock) == section)
            if not kept:
                del me.open[first]
                me.closed |= 1 << first
            elif not split >> first & 1:
                known = self._common.get((first, number))
                kept = kept if known is None else known & kept
                self._common[first, number] = kept
            if not kept:
                split |= 1 << first
        if split != self._split.get(number, 0):
            self._split[number] = split
            for first in bits(split):
                self._common.pop((first, number), None)

    def seen(self, names: Sequence[AbstractObject]) -> Hashable:
        """Return everything that the lock discipline depends on, with locks identified by their abstract names."""
        order: dict[int, int] = {}
        parts: list[Hashable] = [self._once, tuple(self._runs.items())]
        for held in (self._locks, self._common):
            for access, locks in held.items():
                parts.append((access, tuple([order.setdefault(lock, len(order)) for lock in sorted(locks)])))
        return *parts, *[names[lock] for lock in order]

    def discipline(self, names: Sequence[AbstractObject]) -> LockDiscipline:
        """What it showed, with the locks' names."""
        guards = []
        for lock in sorted(set().union(*self._locks.values(), *self._common.values())):
            loose = sum(1 << number for number, held in self._locks.items() if lock not in held)
            kept: dict[int, int] = {}
            for (first, second), common in self._common.items():
                if lock in common:
                    kept[second] = kept.get(second, 0) | 1 << first
            split = _turned((second, mask & ~kept.get(second, 0)) for second, mask in self._runs.items())
            guards.append(Guard(loose, split, str(names[lock])))
        return LockDiscipline.make(self._once, _turned(self._runs.items()), guards)


def bits(mask: int) -> Iterator[int]:
    """The places of the bits that are set.

    >>> list(bits(0b1010))
    [1, 3]
    """
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _turned(columns: Iterable[tuple[int, int]]) -> Rows:
    """A relation that was given by the second one, by the first one."""
    rows: dict[int, int] = {}
    for second, mask in columns:
        for first in bits(mask):
            rows[first] = rows.get(first, 0) | 1 << second
    return trimmed(rows.get(number, 0) for number in range(max(rows, default=-1) + 1))
