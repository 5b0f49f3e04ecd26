"""One execution, written down as operations while it happens.

Threads are known by their labels, and what they touch by keys that mean the same in other executions (see `Names`):
so what is written here can be compared with what other executions did.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, NamedTuple

from raddle.operation import ITEMS, UNFINISHED
from raddle.schedulers.dependence import (
    CHANGE,
    ENDED,
    EVERYTHING,
    GIVE,
    LIFE,
    LOCKING,
    READ,
    WRITE,
    Level,
    Names,
    Operation,
    content_of_queue,
    touched,
)
from raddle.schedulers.resource_levels import Done

_CHANGING = ("put", "get", "task-done", "size")  # or looking at, what can be reached without asking the queue


class Between(NamedTuple):
    """Something that happened after so many operations and is none itself."""

    kind: str  # "start", "told" or "time": a thread started another, woke another, or all had to wait for time
    label: str = ""
    other: str = ""
    waiting: tuple[tuple[str, Operation], ...] = ()  # for "time": the operations that could not be done


class Log:
    """One execution, as it was written down."""

    def __init__(self) -> None:
        self.done: list[Done] = []
        self.between: dict[int, list[Between]] = {}  # by the number of operations done before
        self.waiting: tuple[tuple[str, Operation], ...] = ()  # what was left undone at the end
        self.levels: dict[tuple[int, int], tuple[int, ...]] = {}  # at the end, by key and number of parts
        self.cut_short = False  # was it ended in the middle?

    def note(self, what: Between) -> None:
        self.between.setdefault(len(self.done), []).append(what)


class Logbook:
    """Writes one execution down. What happens between operations it is told, as `Follower` says."""

    def __init__(self, names: Names, visible: Container[str], *, everything: bool) -> None:
        names.begin()
        self.log = Log()
        self.pending: dict[str, Operation] = {}  # by thread: what it is about to do, once that was possible
        self._watched: dict[str, tuple[Any, Level]] = {}  # by thread: the resource, and how to see how much there is
        self._names = names
        self._visible = visible
        self._everything = everything  # does every operation depend on every other?
        self._counts: dict[str, int] = {}  # by thread: operations done
        self._open: dict[tuple[str, int], int] = {}  # by thread and queue: items taken and not yet told to be done
        self._levels: dict[tuple[int, int], tuple[Any, Level]] = {}  # how to see how much there is of what
        self._queues: set[int] = set()  # keys of the mutexes of queues
        self._waiters: dict[int, list[str]] = {}  # by condition: who waits, in order
        self._overdue: set[str] = set()  # threads that could go on without what they wait for

    # -- operations ---------------------------------------------------------------------------------

    def look_at(self, threads: Sequence[Any]) -> dict[str, Operation]:
        """What the threads are about to do, by their labels; those that could not go on just now stay as they were."""
        pending = self.pending
        for thread in threads:
            if thread.label not in pending:
                self._look_at(thread)
        return pending

    def _look_at(self, thread: Any) -> None:
        label = thread.label
        found, need, limit, level = touched(thread)
        if thread.kind == "task-done" and self._open.get((label, id(thread.target)), 0) <= 0:
            found = [(found[0][0], "", WRITE)]  # it may be one too many, whoever took the item
        self._add_unseen(thread, found)
        seen, accesses = self._names.seen, []
        for obj, name, mode in found:
            known = seen.get((id(obj), name))
            if known is None:
                known = self._names.add(obj, name, (label, self._counts.get(label, 0)), len(self.log.done))
            accesses.append((known[0], mode, known[1]))
        other = thread.target.label if need == ENDED else ""
        self.pending[label] = Operation(tuple(accesses), need, limit, other)
        if level is not None:
            self._watched[label] = found[0][0] if thread.kind in LOCKING else thread.target, level
            if level is content_of_queue:
                self._queues.add(accesses[0][0])

    def _add_unseen(self, thread: Any, found: list[tuple[object, str, int]]) -> None:
        """What an operation does besides, though its thread does not say so."""
        visible = self._visible
        if self._everything or "inside" in visible:
            more = self._everything or f"inside {thread.site}" in visible
            found.append((EVERYTHING, "", WRITE if more else READ))
        if "contents" in visible and thread.kind in _CHANGING:
            mode = READ if thread.kind == "size" else CHANGE
            items = getattr(thread.target, "queue", thread.target)
            found += [(items, ITEMS, mode), (thread.target, UNFINISHED, mode)]
        if "daemon" in visible:
            if thread.daemon:
                found.append((LIFE, "", READ))
            elif thread.kind == "end":
                found.append((LIFE, "", WRITE))

    def do(self, thread: Any) -> None:
        """The thread does what it was about to do."""
        label, kind = thread.label, thread.kind
        operation = self.pending.pop(label)
        before = self._use(label, operation) if label in self._watched else None
        # It may have been told in the end: it need not have waited for that.
        late = thread.timed_out or label in self._overdue
        self._overdue.discard(label)
        self.log.done.append(Done(label, operation, before, late))
        self._counts[label] = self._counts.get(label, 0) + 1
        if kind == "wait":
            waiters = self._waiters.get(id(thread.target), [])
            if label in waiters:  # its time was over
                waiters.remove(label)
        elif kind == "task-done" or (kind == "get" and before is not None and any(before[1:2])):  # there was an item
            item = label, id(thread.target)
            self._open[item] = self._open.get(item, 0) + (1 if kind == "get" else -1)

    def _use(self, label: str, operation: Operation) -> tuple[int, ...]:
        """How much there is of what an operation uses, just before."""
        resource, level = self._watched.pop(label)
        before = level(resource)
        key, mode, _ = operation.accesses[0]
        self._levels[key, len(before)] = resource, level
        # What others can do with it may be something else afterwards: a lock was given back by another thread than
        # its holder, a queue was shut (which is done by whoever has its mutex).
        if mode == WRITE or (mode == GIVE and key in self._queues):
            self.pending.clear()
        return before

    # -- what happens between them ------------------------------------------------------------------

    def started(self, thread: Any, other: Any) -> None:
        """A thread started another one."""
        self.log.note(Between("start", thread.label, other.label))

    def waits(self, thread: Any, condition: object) -> None:
        """A thread begins to wait for a notification."""
        self._waiters.setdefault(id(condition), []).append(thread.label)

    def notified(self, thread: Any, condition: Any) -> None:
        """A thread has notified those that no longer wait."""
        waiters = self._waiters.get(id(condition), [])
        while len(waiters) > len(condition._waiters):
            self.log.note(Between("told", thread.label, waiters.pop(0)))

    def time_passes(self, waiting: Sequence[Any]) -> None:
        """Nobody can go on but by waiting for time."""
        self.log.note(Between("time", waiting=self._left(waiting)))
        self._overdue.update(thread.label for thread in waiting if thread.timed_out)

    def over(self, waiting: Sequence[Any], *, cut_short: bool) -> None:
        """Nothing more is done; these threads were about to do something."""
        log = self.log
        log.waiting = self._left(waiting)
        log.cut_short = cut_short
        log.levels = {key: level(resource) for key, (resource, level) in self._levels.items()}

    def _left(self, waiting: Sequence[Any]) -> tuple[tuple[str, Operation], ...]:
        pending = self.look_at(waiting)
        for thread in waiting:
            if thread.label in self._watched:
                resource, level = self._watched[thread.label]
                self._levels[pending[thread.label].accesses[0][0], len(level(resource))] = resource, level
        return tuple((thread.label, self._pending_of(thread.label)) for thread in waiting)

    def _pending_of(self, label: str) -> Operation:
        """What a thread was about to do; if its time is over, it waits for nothing."""
        operation = self.pending[label]
        return operation._replace(need=0) if label in self._overdue else operation
