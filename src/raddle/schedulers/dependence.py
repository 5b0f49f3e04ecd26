"""What an operation touches, in which way, and which operations commute.

An operation is a list of accesses: a key (which variable or resource) and a mode. Two operations of different
threads depend on each other if they have a key in common and modes that do not commute. Takes and gives of one
resource commute where both are possible: the k-th take needs the k-th give, wherever the others are. So the gives
of one resource are ordered among themselves, and so are the takes; that one take needs one give is not a
dependence of operations but of what became possible, see `raddle.schedulers.partial_order`.
"""

from __future__ import annotations

import queue
import weakref
from collections import deque
from collections.abc import Callable
from types import FunctionType, MemberDescriptorType
from typing import Any, NamedTuple

from raddle.inspection import name_of

(READ, WRITE, TAKE, GIVE, PUT, GET, DONE, ALL_DONE, SET, CLEAR, ARRIVE, PASS, CHANGE) = range(13)

_COMMUTING = {
    (READ, READ),
    (TAKE, GIVE),
    (PUT, GET),  # of a queue that hands out first what came first
    (DONE, DONE), (DONE, PUT), (DONE, GET), (DONE, READ),
    (ALL_DONE, ALL_DONE), (ALL_DONE, GET), (ALL_DONE, READ),
    # Who waits for an event is woken by a setting before and by one after its arrival; a clearing in between tells.
    (ARRIVE, ARRIVE), (ARRIVE, SET), (ARRIVE, READ),
    (CHANGE, CHANGE),
    *((PASS, mode) for mode in range(13)),
}  # fmt: skip

# By mode: a bit for each mode that it does not commute with.
CONFLICTS: tuple[int, ...] = tuple(
    sum(1 << other for other in range(13) if (mode, other) not in _COMMUTING and (other, mode) not in _COMMUTING)
    for mode in range(13)
)

EVERYTHING = "everything"  # what an operation touches that does more than can be seen
LIFE = "life"  # of the execution: it ends with the last thread that is not a daemon
THREADS = "threads"

LOCKING = frozenset({"acquire", "release", "try-acquire", "locked", "wait"})

FREE, ITEM, ROOM, TOLD, IS_SET, ENDED, NO_TASKS, MUTEX, SHUT = range(1, 10)  # what an operation may have to wait for


class Operation(NamedTuple):
    """What a thread is about to do; `accesses` are (key, mode, since): see `Names`."""

    accesses: tuple[tuple[int, int, int], ...]
    need: int = 0  # what it waits for: nothing, or one of the above
    limit: int = 0  # for ROOM: how much there is
    other: str = ""  # for ENDED: the label of the thread waited for


Level = Callable[[Any], tuple[int, ...]]  # how much of a resource there is: permits, and items and tasks


class Names:
    """Keys of variables and resources, the same in every execution that began in the same way.

    Objects differ from one execution to the next. One is named after the operation at which it was first seen:
    the thread's label, and how many operations it had done before. `since` is how many operations all threads had
    done by then. Executions that have the first n operations in common agree on all names since n or earlier.
    """

    def __init__(self) -> None:
        self._keys: dict[tuple[str, int, str, str], int] = {}
        self.looks: list[tuple[str, str]] = []  # by key: the name and the type, which is all that is sure later on
        self.begin()

    def begin(self) -> None:
        """Another execution begins."""
        self.seen: dict[tuple[int, str], tuple[int, int]] = {}  # by id and name: the key, and since when it is known
        self._kept: list[object] = []  # ids are names here

    def __getstate__(self) -> object:
        return self._keys, self.looks  # the objects are this execution's, and stay where they are

    def __setstate__(self, state: Any) -> None:
        self._keys, self.looks = state
        self.begin()

    def add(self, obj: object, name: str, by: tuple[str, int], since: int) -> tuple[int, int]:
        """A variable or resource is seen for the first time in this execution."""
        looks = (name, name_of(type(obj)))
        full = (*by, *looks)
        key = self._keys.get(full)
        if key is None:
            key = self._keys[full] = len(self.looks)
            self.looks.append(looks)
        known = self.seen[id(obj), name] = key, since
        self._kept.append(obj)
        return known


def depend(one: Operation, other: Operation) -> bool:
    """Do two operations of one execution not commute?

    >>> read, write = (Operation(((7, mode, 0),)) for mode in (READ, WRITE))
    >>> depend(read, read), depend(read, write)
    (False, True)
    """
    for key, mode, _ in one.accesses:
        for also, how, _ in other.accesses:
            if key == also and CONFLICTS[mode] >> how & 1:
                return True
    return False


def may_depend(one: Operation, other: Operation, looks: list[tuple[str, str]], common: int) -> bool:
    """The same for operations of two executions that have so many operations in common.

    Two objects that were seen only later may be one: where they look alike, they are taken to be.
    """
    for key, mode, since in one.accesses:
        for also, how, when in other.accesses:
            if CONFLICTS[mode] >> how & 1 and (
                key == also or (since > common and when > common and looks[key] == looks[also])
            ):
                return True
    return False


# -- from what a thread says of itself ------------------------------------------------------------------

Touched = tuple[list[tuple[object, str, int]], int, int, Level | None]  # object, name, mode; need, limit, level


def touched(thread: Any) -> Touched:
    """What a thread's pending operation touches, what it may wait for, and how to see how much of that there is."""
    kind, target = thread.kind, thread.target
    if kind == "read":
        name = thread.name
        found: list[tuple[object, str, int]] = [(target, name, READ)]
        if name != "[]":
            # It is read from the class if the object has none of its own.
            classes = target.__mro__[1:] if isinstance(target, type) else type(target).__mro__
            found += [(c, name, READ) for c in classes if name in c.__dict__ and not _is_slot(c.__dict__[name])]
        return found, 0, 0, None
    if kind in ("write", "delete"):
        return [(target, thread.name, WRITE)], 0, 0, None
    described = _KINDS.get(kind)
    if described is None:  # begin, sleep, join: they touch nothing
        return [], ENDED if kind == "join" else 0, 0, None
    return described(thread, target, bool(getattr(thread, "timer", 0)))


def _is_slot(found: object) -> bool:
    return type(found) is MemberDescriptorType


def _permits_of_lock(lock: Any) -> tuple[int, ...]:
    return (int(lock.holder is None),)


def _content_of_guarded(mutex: Any) -> tuple[int, ...]:
    """Who has a queue's mutex may change what is in the queue."""
    one = mutex.queue()
    return _permits_of_lock(mutex) if one is None else content_of_queue(one)


def _permits_of_semaphore(semaphore: Any) -> tuple[int, ...]:
    return (semaphore._value,)


def _state_of_event(event: Any) -> tuple[int, ...]:
    return (int(event._flag),)


def content_of_queue(one: Any) -> tuple[int, ...]:
    """Permits of its mutex, which may be held while others run; items, and unfinished tasks."""
    if hasattr(one, "mutex"):
        permits = int(one.mutex.holder is None)
        if type(getattr(type(one.queue), "__len__", None)) is FunctionType:  # code of the program's is not asked
            return (permits,)
        return permits, len(one.queue), one.unfinished_tasks
    return 1, one._real.qsize(), 0


def _lock(mode: int, need: int = 0) -> Callable[[Any, Any, bool], Touched]:
    def describe(thread: Any, target: Any, timed: bool) -> Touched:
        if not hasattr(target, "holder"):  # a barrier that somebody looks at, a condition
            target = getattr(getattr(target, "_cond", target), "_lock", target)
        how = mode
        if (timed and need == FREE) or (mode == GIVE and target.holder is not thread):
            how = WRITE  # whether it works out depends on everything that is done with the lock
        level: Level | None = _permits_of_lock if hasattr(target, "holder") else None
        if isinstance(getattr(target, "queue", None), weakref.ref):  # the mutex of a queue
            level = _content_of_guarded
        return [(target, "", how)], need, 0, level

    return describe


def _semaphore(mode: int, need: int = 0) -> Callable[[Any, Any, bool], Touched]:
    def describe(thread: Any, target: Any, timed: bool) -> Touched:
        return [(target, "", WRITE if timed else mode)], need, 0, _permits_of_semaphore

    return describe


def _event(mode: int, need: int = 0) -> Callable[[Any, Any, bool], Touched]:
    def describe(thread: Any, target: Any, timed: bool) -> Touched:
        return [(target, "", READ if timed else mode)], need, 0, _state_of_event

    return describe


def _queue(mode: int, need: int) -> Callable[[Any, Any, bool], Touched]:
    def describe(thread: Any, target: Any, timed: bool) -> Touched:
        mutex = getattr(target, "mutex", None)  # a SimpleQueue has none
        ready = thread.ready
        plain = ready is None or (mutex is not None and getattr(ready, "__self__", None) is mutex)  # never waits for
        how, what, limit = mode, need, 0
        if mode in (PUT, GET):
            if what == ROOM:
                limit = getattr(target, "maxsize", 0)
                if limit <= 0:
                    what = MUTEX
            if timed or not _first_in_first_out(target) or (plain and what != MUTEX):
                how = WRITE
            if plain:
                what = MUTEX
            if getattr(target, "is_shutdown", False) and not (mode == GET and target.queue):
                what = SHUT  # it will raise, and could not have done so earlier
        return [(target if mutex is None else mutex, "", how)], what, limit, content_of_queue

    return describe


def _first_in_first_out(target: Any) -> bool:
    kind = type(target)
    if not isinstance(target, queue.Queue):
        return True
    if kind._put is not queue.Queue._put or kind._get is not queue.Queue._get:
        return False
    return type(target.queue) is deque and not getattr(target, "is_shutdown", False)


def _thread(mode: int) -> Callable[[Any, Any, bool], Touched]:
    def describe(thread: Any, target: Any, timed: bool) -> Touched:
        if mode == READ:  # whom it looks at need not be known yet: the thread may not have been started
            return [(THREADS, "", READ)], 0, 0, None
        whom = getattr(target, "thread", None) or target
        return [(THREADS, "", CHANGE), (whom, "alive", WRITE)], 0, 0, None

    return describe


_KINDS: dict[str, Callable[[Any, Any, bool], Touched]] = {
    "acquire": _lock(TAKE, FREE),
    "release": _lock(GIVE),
    "try-acquire": _lock(WRITE),
    "locked": _lock(READ),
    "wait": _lock(TAKE, TOLD),
    "down": _semaphore(TAKE, FREE),
    "up": _semaphore(GIVE),
    "try-down": _semaphore(WRITE),
    "bounded-up": _semaphore(WRITE),
    "set": _event(SET),
    "clear": _event(CLEAR),
    "is-set": _event(READ),
    "before-wait": _event(ARRIVE),
    "wait-set": _event(PASS, IS_SET),
    "put": _queue(PUT, ROOM),
    "get": _queue(GET, ITEM),
    "size": _queue(READ, MUTEX),
    "task-done": _queue(DONE, MUTEX),
    "join-queue": _queue(ALL_DONE, NO_TASKS),
    "start": _thread(CHANGE),
    "end": _thread(CHANGE),
    "is-alive": _thread(READ),
}
