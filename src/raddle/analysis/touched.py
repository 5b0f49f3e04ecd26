"""Tracks the accesses to one object: their threads, the locks held, and the order imposed by starts and joins.

Two accesses to the object by the same thread, one after the other, form a pair (called a run in the code). A lock
protects a pair if every earlier occurrence of the first access was in the same critical section as the second access.
Checking the first occurrence is enough, because critical sections of one lock do not overlap.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from raddle.analysis.happens_before import ThreadClock
from raddle.entities import AbstractObject
from raddle.pruning_facts import Access, Guard, LockDiscipline, Rows, trimmed

MAX_SIGNATURES = 1000  # maximum number of signatures remembered per owner, to skip objects that add nothing new


class Owner:
    """Facts from all executions about the objects of one owner.

    Accesses are numbered in the order in which they are first seen.
    """

    __slots__ = ("_signatures", "after", "before", "discipline", "numbers")

    def __init__(self) -> None:
        self.numbers: dict[Access, int] = {}
        self.before: list[int] = []  # for each access, mask of the accesses that can come before it in another thread
        self.after: list[int] = []  # for each access, mask of the accesses that can come after it in another thread
        self.discipline = LockDiscipline()
        self._signatures: set[Hashable] = set()

    def number(self, access: Access) -> int:
        """Return the number of an access; assign one if the access is new."""
        number = self.numbers.get(access)
        if number is None:
            number = self.numbers[access] = len(self.numbers)
            self.before.append(0)
            self.after.append(0)
        return number

    def add(self, touched: TouchedObject, resources: Sequence[AbstractObject]) -> None:
        """Merge the lock discipline of one object; `resources` gives the names of locks by number."""
        signature = touched.signature(resources)
        if signature not in self._signatures:
            if len(self._signatures) >= MAX_SIGNATURES:
                self._signatures.clear()
            self._signatures.add(signature)
            self.discipline += touched.discipline(resources)


class ThreadHistory:
    """One thread's accesses to one object."""

    __slots__ = ("closed", "done", "open")

    def __init__(self) -> None:
        self.done = 0  # mask of the accesses that the thread has made
        # Maps each access to the locks and critical sections at its first occurrence.
        self.open: dict[int, tuple[tuple[int, int], ...]] = {}
        self.closed = 0  # mask of accesses whose first occurrence is in no current critical section


class TouchedObject:
    """One object of one execution, with the accesses of all threads to it."""

    __slots__ = (
        "_common", "_epochs", "_first", "_histories", "_locks", "_once", "_owner", "_runs", "_split", "_twice",
        "shared", "version",
    )  # fmt: skip

    def __init__(self, owner: Owner, first: int) -> None:
        self.version = 0  # incremented when a change may affect the accesses of other threads
        self.shared = False  # True if at least two threads have accessed the object
        self._first = first  # the first thread that accessed the object
        self._histories: dict[int, ThreadHistory] = {}  # the histories of threads that have not ended
        self._owner = owner
        self._once = 0  # mask of the accesses that at least one thread has made
        self._twice = 0  # mask of the accesses that at least two threads have made
        self._locks: dict[int, frozenset[int]] = {}  # maps each access to the locks held at every occurrence
        # A pair consists of an earlier and a later access by one thread. Both fields map a later access to a mask of
        # the earlier ones; the second field contains only the pairs that no lock protects.
        self._runs: dict[int, int] = {}
        self._split: dict[int, int] = {}
        self._common: dict[tuple[int, int], frozenset[int]] = {}  # maps each pair to the locks that protect it
        # For each access: maps a slot to the time of the last occurrence in that slot's thread. An occurrence is
        # dropped once a later occurrence in another thread is ordered after it.
        self._epochs: dict[int, dict[int, int]] = {}

    def history_of(self, thread: int) -> ThreadHistory:
        """Return the history of a thread; create it if this is the thread's first access."""
        history = self._histories.get(thread)
        if history is None:
            history = self._histories[thread] = ThreadHistory()
            self.shared = self.shared or thread != self._first
        return history

    def leave(self, thread: int) -> None:
        """Drop the history of a thread that has ended."""
        self._histories.pop(thread, None)

    def touch(self, history: ThreadHistory, number: int, held: dict[int, int], locks: frozenset[int]) -> None:
        """Record an access by a thread that holds `locks`; `held` maps each lock to its current critical section."""
        if history.open or history.done & ~self._split.get(number, 0):
            self._note_runs(history, number, held)
        always_held = self._locks.get(number)
        if always_held is None or not always_held <= locks:
            self._locks[number] = locks if always_held is None else always_held & locks
        bit = 1 << number
        if not history.done & bit:
            history.done |= bit
            if held:
                history.open[number] = tuple(held.items())
            else:
                history.closed |= bit
            self._twice |= self._once & bit
            self._once |= bit
            self.version += 1

    def order(self, history: ThreadHistory, number: int, thread_clock: ThreadClock) -> None:
        """Record how an access is ordered relative to earlier accesses by other threads.

        Every earlier access can come before this one. It can also come after this one, unless a start or join orders
        the two.
        """
        others = self._twice | self._once & ~history.done
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
                del epochs[slot]  # a thread that is not ordered after that epoch is not ordered after this one either
            epochs[thread_clock.slot] = thread_clock.time
            self.version += 1

    def _note_runs(self, history: ThreadHistory, number: int, held: dict[int, int]) -> None:
        """Record the pairs that this access completes, and the locks that protect each pair."""
        self._runs[number] = self._runs.get(number, 0) | history.done
        split = self._split.get(number, 0) | history.closed
        for first, sections in list(history.open.items()):
            kept = frozenset(lock for lock, section in sections if held.get(lock) == section)
            if not kept:
                del history.open[first]
                history.closed |= 1 << first
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

    def signature(self, resources: Sequence[AbstractObject]) -> Hashable:
        """Return everything that the lock discipline depends on, as a hashable value.

        Each object may have its own locks, so a lock is identified by its name and the order in which it first occurs.
        """
        order: dict[int, int] = {}
        parts: list[Hashable] = [self._once, tuple(self._runs.items())]
        for held in (self._locks, self._common):
            for access, locks in held.items():
                parts.append((access, tuple([order.setdefault(lock, len(order)) for lock in sorted(locks)])))
        return *parts, *[resources[lock] for lock in order]

    def discipline(self, resources: Sequence[AbstractObject]) -> LockDiscipline:
        """Return the lock discipline that the accesses show; `resources` gives the names of locks by number."""
        guards = []
        for lock in sorted(set().union(*self._locks.values(), *self._common.values())):
            loose = sum(1 << number for number, held in self._locks.items() if lock not in held)
            kept: dict[int, int] = {}
            for (first, second), common in self._common.items():
                if lock in common:
                    kept[second] = kept.get(second, 0) | 1 << first
            split = _transposed((second, mask & ~kept.get(second, 0)) for second, mask in self._runs.items())
            guards.append(Guard(loose, split, str(resources[lock])))
        return LockDiscipline.make(self._once, _transposed(self._runs.items()), guards)


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of the bits that are set.

    >>> list(bits(0b1010))
    [1, 3]
    """
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _transposed(columns: Iterable[tuple[int, int]]) -> Rows:
    """Transpose a relation from masks indexed by second access to masks indexed by first access."""
    rows: dict[int, int] = {}
    for second, mask in columns:
        for first in bits(mask):
            rows[first] = rows.get(first, 0) | 1 << second
    return trimmed(rows.get(number, 0) for number in range(max(rows, default=-1) + 1))
