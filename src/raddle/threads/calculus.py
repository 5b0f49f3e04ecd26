"""The calculus of Python threads: the objects that an operation touches, and what can block it."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Container, Iterator, Sequence
from types import FunctionType, MemberDescriptorType
from typing import Any

from raddle import operation
from raddle.engine.carrier import Carrier
from raddle.engine.waits import EXPIRES, PROCEEDS
from raddle.operation import CONTENT, DELETE, END, GET, JOIN, PUT, READ, SIZE, TASK_DONE, UNFINISHED, WAIT, WRITE, Kind
from raddle.schedulers.base import Alternative, Thread
from raddle.schedulers.calculus import Access, Calculus, Describe, Level, Reader, Touched
from raddle.schedulers.operation_log import Log
from raddle.threads import modes
from raddle.threads.patches import DESCRIPTIONS
from raddle.threads.resource_levels import ResourceLevels
from raddle.threads.state import thread_of
from raddle.threads.twins.condition import Ticket
from raddle.threads.twins.lock import Lock, RLock

# Keys of state that belongs to no object of the program.
ALL_STATE = "everything"  # touched by operations with effects that raddle cannot see
LIVENESS = "life"  # whether the execution is still running; it ends when the last non-daemon thread ends
THREADS = "threads"  # the set of started threads
# Queue operations on data that a program can also reach without the queue's methods, for example through `q.queue`.
_QUEUE_CONTENT = frozenset({PUT, GET, TASK_DONE, SIZE})


class ThreadCalculus(Calculus):
    """The calculus of Python threads."""

    conflicts = modes.CONFLICTS

    def reader(self, visible: Container[str], *, everything: bool) -> ThreadReader:
        return ThreadReader(visible, everything=everything)

    def supplies(self, log: Log) -> ResourceLevels:
        return ResourceLevels(log)


class ThreadReader(Reader):
    """Reads the pending operations of the threads of one execution."""

    def __init__(self, visible: Container[str], *, everything: bool) -> None:
        self._visible = visible
        self._everything = everything
        # True if operations perform accesses that are not apparent from their kind and target; None before the first
        # operation.
        self._has_hidden_accesses: bool | None = None
        # Maps a thread's label and a queue's id to the number of items that the thread has taken from the queue but not
        # marked as done.
        self._open_tasks: dict[tuple[str, int], int] = {}
        self._mutexes: set[int] = set()  # ids of the mutexes of queues in use
        self._waiters: dict[int, list[str]] = {}  # maps a condition's id to its waiting threads, in order of arrival

    def touched(self, participant: Any, alternative: Alternative | None) -> Touched:
        kind, target = participant.kind, participant.target
        if kind is WRITE or kind is DELETE:
            found: Touched = [(target, participant.name, modes.WRITE)], 0, None, None, None
        elif kind is READ:
            found = _read(target, participant.name), 0, None, None, None
        elif kind is JOIN:
            # A join whose timeout may expire at any time only observes whether the other thread has ended.
            only_observes = participant.timer and participant.ready is None
            found = _is_alive(participant, target) if only_observes else ([], modes.ENDED, target.label, None, None)
        else:
            describe = _KINDS.get(kind) if alternative is not EXPIRES else _expired_wait
            found = ([], 0, None, None, None) if describe is None else describe(participant, target)
            if found[4] is _content_of_queue:
                self._mutexes.add(id(found[0][0][0]))
                if kind is TASK_DONE and self._open_tasks.get((participant.label, id(target)), 0) <= 0:
                    # A surplus `task_done` raises an error, and the order of the calls decides which one is surplus.
                    found[0][0] = found[0][0][0], "", modes.WRITE
        if self._has_hidden_accesses is None:
            visible = self._visible
            self._has_hidden_accesses = (
                self._everything or "inside" in visible or "contents" in visible or "daemon" in visible
            )
        if self._has_hidden_accesses:
            found[0].extend(self._hidden_accesses(participant, kind))
        return found

    def _hidden_accesses(self, thread: Any, kind: Kind) -> Iterator[Access]:
        """Yield the accesses that are not apparent from an operation's kind and target."""
        visible = self._visible
        if self._everything or "inside" in visible:
            more = self._everything or f"inside {thread.site}" in visible
            yield ALL_STATE, "", modes.WRITE if more else modes.READ
        if "contents" in visible and kind in _QUEUE_CONTENT:
            mode = modes.READ if kind is SIZE else modes.CHANGE
            yield thread.target.queue if _is_queue(thread.target) else thread.target, CONTENT, mode
            yield thread.target, UNFINISHED, mode
        if "daemon" in visible:
            if thread.daemon:
                yield LIVENESS, "", modes.READ
            elif kind is END:
                yield LIVENESS, "", modes.WRITE

    def options(self, participant: Any) -> Sequence[Alternative]:
        if participant.kind is WAIT and participant.alternatives is not None:
            return PROCEEDS, EXPIRES  # each is possible in some interleaving
        return super().options(participant)

    def does(self, participant: Any, mode: int, resource: Any, level: tuple[int, ...] | None) -> bool:
        kind, label = participant.kind, participant.label
        if kind is WAIT:
            waiters = self._waiters.get(id(participant.target), [])
            if label in waiters:  # the wait timed out
                waiters.remove(label)
        elif kind is TASK_DONE or (kind is GET and level is not None and any(level[1:2])):  # the queue had an item
            item = label, id(participant.target)
            self._open_tasks[item] = self._open_tasks.get(item, 0) + (1 if kind is GET else -1)
        # A thread other than the holder may release a lock, and the holder of a queue's mutex may shut down the queue.
        # Either event changes what pending operations on the resource touch and need.
        return level is not None and (mode == modes.WRITE or (mode == modes.GIVE and id(resource) in self._mutexes))

    def waits(self, participant: Thread, on: object) -> None:
        self._waiters.setdefault(id(on), []).append(participant.label)

    def woken(self, on: Any) -> list[str]:
        waiters = self._waiters.get(id(on), [])
        waiting = {ticket.label for ticket in on._waiters if type(ticket) is Ticket}
        woken = [label for label in waiters if label not in waiting]
        waiters[:] = [label for label in waiters if label in waiting]
        return woken


def _read(target: Any, name: str) -> list[Access]:
    """Return the accesses of a read: one to the object, and one to each class that defines the attribute."""
    found: list[Access] = [(target, name, modes.READ)]
    if name != CONTENT:
        classes = target.__mro__[1:] if isinstance(target, type) else type(target).__mro__
        found += [(c, name, modes.READ) for c in classes if name in c.__dict__ and not _is_slot(c.__dict__[name])]
    return found


def _is_slot(found: object) -> bool:
    return type(found) is MemberDescriptorType


# -- levels ------------------------------------------------------------------------------------------------------


def _permits_of_lock(lock: Any) -> tuple[int, ...]:
    return (int(lock.holder is None),)


def _content_of_guarded(mutex: Any) -> tuple[int, ...]:
    """Return the level of the queue that a mutex guards, or of the mutex if the queue has been garbage-collected.

    The holder of the mutex may change the content of the queue.
    """
    guarded = mutex.queue()
    return _permits_of_lock(mutex) if guarded is None else _content_of_queue(guarded)


def _content_of_queue(guarded: Any) -> tuple[int, ...]:
    """Return the free permits of a queue's mutex, the number of items and the number of unfinished tasks."""
    if not _is_queue(guarded):
        return 1, guarded._real.qsize(), 0
    permits = int(guarded.mutex.holder is None)
    if type(getattr(type(guarded.queue), "__len__", None)) is FunctionType:  # the program's code must not run here
        return (permits,)
    return permits, len(guarded.queue), guarded.unfinished_tasks


# -- by kind -----------------------------------------------------------------------------------------------------


def _is_twin(lock: object) -> bool:
    kind = type(lock)
    return kind is Lock or kind is RLock or issubclass(kind, RLock)


def _is_queue(target: object) -> bool:
    """Return whether the target is a `Queue`, which has a mutex, rather than a `SimpleQueue`."""
    kind = type(target)
    return kind is queue.Queue or issubclass(kind, queue.Queue)


def _lock(mode: int, need: int = 0) -> Describe:
    def describe(thread: Any, target: Any) -> Touched:
        lock, used_mode = target, mode
        if not _is_twin(lock):
            lock = _lock_in(target)
        level: Level | None = _permits_of_lock
        if not _is_twin(lock):
            level = _permits_of_lock if lock is target else None
        elif lock.queue is not None:
            level = _content_of_guarded
        actual_need = need
        if thread.timer and thread.ready is None:
            actual_need = 0  # the acquire never blocks: its timeout may expire at any time
        if (thread.timer and need == modes.FREE) or (mode == modes.GIVE and lock.holder is not thread):
            used_mode = modes.WRITE  # whether the operation succeeds depends on all other operations on the lock
        return [(lock, "", used_mode)], actual_need, None, lock, level

    return describe


def _lock_in(target: Any) -> Any:
    """Return the lock of a condition or of a barrier; return any other target unchanged."""
    condition = target._cond if issubclass(type(target), threading.Barrier) else target
    return condition._lock if issubclass(type(condition), threading.Condition) else target


def _queue(mode: int, need: int) -> Describe:
    def describe(thread: Any, target: Any) -> Touched:
        has_mutex = _is_queue(target)
        guard = target.mutex if has_mutex else target
        ready = thread.ready
        never_waits = ready is None or (has_mutex and getattr(ready, "__self__", None) is guard)  # except for the mutex
        used_mode, actual_need, limit = mode, need, 0
        if mode in (modes.PUT, modes.GET):
            if actual_need == modes.ROOM:
                limit = target.maxsize if has_mutex else 0
                if limit <= 0:
                    actual_need = modes.MUTEX
            if thread.timer or not _first_in_first_out(target) or (never_waits and actual_need != modes.MUTEX):
                used_mode = modes.WRITE
            if never_waits:
                actual_need = modes.MUTEX
            if getattr(target, "is_shutdown", False) and not (mode == modes.GET and target.queue):
                actual_need = modes.SHUT  # the call raises, and it could not have raised before the shutdown
        return [(guard, "", used_mode)], actual_need, limit, target, _content_of_queue

    return describe


def _first_in_first_out(target: Any) -> bool:
    kind = type(target)
    if not _is_queue(target):
        return True
    if kind._put is not queue.Queue._put or kind._get is not queue.Queue._get:
        return False
    return type(target.queue) is deque and not getattr(target, "is_shutdown", False)


def _expired_wait(thread: Any, target: Any) -> Touched:
    """Describe a timed-out wait on a condition, which needs the lock but no notification."""
    lock = _lock_in(target)
    return [(lock, "", modes.TAKE)], modes.FREE, None, lock, _permits_of_lock if _is_twin(lock) else None


def _start_or_end(thread: Any, target: Any) -> Touched:
    subject = (thread_of(target) or target) if type(target) is Carrier else target
    return [(THREADS, "", modes.CHANGE), (subject, "alive", modes.WRITE)], 0, None, None, None


def _is_alive(thread: Any, target: Any) -> Touched:
    # The whole set of threads is read, because the thread in question may not have been started yet.
    return [(THREADS, "", modes.READ)], 0, None, None, None


_KINDS: dict[Kind, Describe] = {
    **DESCRIPTIONS,
    operation.ACQUIRE: _lock(modes.TAKE, modes.FREE),
    operation.RELEASE: _lock(modes.GIVE),
    operation.TRY_ACQUIRE: _lock(modes.WRITE),
    operation.LOCKED: _lock(modes.READ),
    operation.WAIT: _lock(modes.TAKE, modes.NOTIFIED),
    operation.PUT: _queue(modes.PUT, modes.ROOM),
    operation.GET: _queue(modes.GET, modes.ITEM),
    operation.SIZE: _queue(modes.READ, modes.MUTEX),
    operation.TASK_DONE: _queue(modes.DONE, modes.MUTEX),
    operation.JOIN_QUEUE: _queue(modes.ALL_DONE, modes.NO_TASKS),
    operation.START: _start_or_end,
    operation.END: _start_or_end,
    operation.IS_ALIVE: _is_alive,
}
