"""Twins of `queue.Queue`, `LifoQueue` and `PriorityQueue`: methods that replace those of the classes.

A put or a get is one step, because no thread can observe a half-finished put or get. Each also waits for the queue's
mutex, which code under test may hold. A queue whose class overrides `_qsize`, or whose container has a `__len__`
written in Python, uses the standard library's code, which runs on the twins of locks and conditions.
"""

from __future__ import annotations

import queue
import weakref
from collections import deque
from collections.abc import Callable
from types import FunctionType
from typing import Any

from raddle import env
from raddle.engine.carrier import Carrier, getcurrent
from raddle.engine.waits import wait
from raddle.operation import (
    CONTENT,
    FAILED,
    GET,
    HOLD_MUTEX,
    JOIN_QUEUE,
    PUT,
    RELEASE,
    RELEASE_MUTEX,
    SIZE,
    TASK_DONE,
    UNFINISHED,
    Kind,
)
from raddle.threads.twins.adopt import adopt_queue
from raddle.threads.twins.lock import Lock

_real_init = queue.Queue.__init__
_real_put = queue.Queue.put
_real_get = queue.Queue.get
_real_task_done = queue.Queue.task_done
_real_join = queue.Queue.join
_real_qsize = queue.Queue.qsize
_real_empty = queue.Queue.empty
_real_full = queue.Queue.full
_PLAIN_SIZES = {queue.Queue._qsize, queue.LifoQueue._qsize, queue.PriorityQueue._qsize}
# Maps a queue class to the container class with which a put or get runs none of the program's code.
_PLAIN_CONTAINERS = {queue.Queue: deque, queue.LifoQueue: list}
_ShutDown: Any = queue.ShutDown if env.QUEUES_SHUT_DOWN else None  # type: ignore[attr-defined] # added in 3.13


def init(self: Any, maxsize: int = 0) -> None:
    _real_init(self, maxsize)
    if type(self.mutex) is Lock:
        _link_mutex(self)


def _link_mutex(self: Any) -> None:
    """Store a reference to the queue in its mutex, because the holder of the mutex can change the queue's content."""
    if hasattr(self, "queue") and _has_plain_size(self):
        self.mutex.queue = weakref.ref(self)


def _has_plain_size(self: Any) -> bool:
    """Return whether reading the queue's size runs none of the program's code."""
    if type(self)._qsize not in _PLAIN_SIZES:
        return False
    kind = self.queue.__class__
    return kind is deque or kind is list or getattr(kind, "__len__", None).__class__ is not FunctionType


def _is_modeled(self: Any) -> bool:
    if type(self.mutex) is not Lock:
        adopt_queue(self)
        _link_mutex(self)
    return _has_plain_size(self)


def _is_shut(self: Any) -> bool:
    return env.QUEUES_SHUT_DOWN and bool(self.is_shutdown)


def _reach(self: Any, me: Carrier, kind: Kind, ready: Callable[[], bool], block: bool, timeout: float | None) -> bool:
    """Block until the queue is ready and its mutex is free; return False if the timeout expires first.

    As in CPython, a timeout of 0 expires immediately after one check of the queue under its mutex.
    """
    if block and timeout is None:
        me.engine.operate(me, kind, self, ready)
        return True
    if block and timeout is not None and timeout > 0:
        return wait(me, kind, self, ready, timeout, needs=self.mutex.is_free)
    me.engine.operate(me, kind, self, self.mutex.is_free)
    return ready()


class _MutexHeld:
    """Holds a queue's mutex while the program's code may run, as in `_put`, `_get` or a comparison of items.

    If no scheduling point is passed in the meantime, the whole operation is one step. Otherwise the release of the
    mutex is a separate step, as for any lock. If criteria measure the execution, they are notified that the mutex is
    held.
    """

    __slots__ = ("_me", "_mutex", "_site", "_steps")

    def __init__(self, queue: Any, me: Carrier) -> None:
        self._mutex, self._me = queue.mutex, me

    def __enter__(self) -> None:
        me, mutex = self._me, self._mutex
        mutex.holder = me
        me.own.held.append(mutex)
        self._steps, self._site = me.engine.steps, me.site
        if me.engine.measuring:
            me.engine.noted(me, HOLD_MUTEX, mutex)

    def __exit__(self, *exc: object) -> None:
        me, mutex, engine = self._me, self._mutex, self._me.engine
        me.site = self._site  # the program's code may have changed the site
        try:
            if mutex.holder is me and engine.steps != self._steps and "lock" in engine.points.visible:
                engine.operate(me, RELEASE, mutex)
        finally:
            if engine.measuring:
                engine.noted(me, RELEASE_MUTEX, mutex)
            if mutex.holder is me:
                mutex.drop()
                me.own.held.remove(mutex)


def put(self: Any, item: Any, block: bool = True, timeout: float | None = None) -> None:
    me = getcurrent()
    # CPython's code decides when a negative timeout is an error.
    if me.__class__ is not Carrier or not _is_modeled(self) or (timeout is not None and timeout < 0):
        _real_put(self, item, block, timeout)
        return
    mutex, size = self.mutex, self.maxsize
    if size <= 0:
        _reach(self, me, PUT, mutex.is_free, True, None)
    else:

        def has_room() -> bool:
            return mutex.holder is None and (len(self.queue) < size or _is_shut(self))

        if not _reach(self, me, PUT, has_room, block, timeout):
            me.engine.tracker.track_twin_access(me, self.queue, CONTENT, writes=False)
            _note_failure(self, me)
            raise queue.Full
    if _is_shut(self):
        raise _ShutDown
    if self.queue.__class__ is _PLAIN_CONTAINERS.get(self.__class__) and not self.not_empty._waiters:
        self._put(item)
        self.unfinished_tasks += 1
    else:
        with _MutexHeld(self, me):
            self._put(item)
            self.unfinished_tasks += 1
            if self.not_empty._waiters:  # code under test may wait on the queue's conditions directly
                self.not_empty.notify()
    me.engine.tracker.track_twin_access(me, self.queue, CONTENT)
    me.engine.tracker.track_twin_access(me, self, UNFINISHED)
    if me.engine.observing:
        me.engine.happened(me, PUT, self, item)


def _note_failure(self: Any, me: Carrier) -> None:
    if me.engine.measuring:
        me.engine.noted(me, FAILED, self)


def get(self: Any, block: bool = True, timeout: float | None = None) -> Any:
    me = getcurrent()
    if me.__class__ is not Carrier or not _is_modeled(self) or (timeout is not None and timeout < 0):
        return _real_get(self, block, timeout)
    mutex = self.mutex

    def has_item() -> bool:
        return mutex.holder is None and (bool(self.queue) or _is_shut(self))

    if not _reach(self, me, GET, has_item, block, timeout):
        me.engine.tracker.track_twin_access(me, self.queue, CONTENT, writes=False)
        _note_failure(self, me)
        raise queue.Empty
    if _is_shut(self) and not self.queue:
        raise _ShutDown
    if self.queue.__class__ is _PLAIN_CONTAINERS.get(self.__class__) and not self.not_full._waiters:
        item = self._get()
    else:
        with _MutexHeld(self, me):
            item = self._get()
            if self.not_full._waiters:
                self.not_full.notify()
    me.engine.tracker.track_twin_access(me, self.queue, CONTENT)
    if me.engine.observing:
        me.engine.happened(me, GET, self, item)
    return item


def task_done(self: Any) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier or not _is_modeled(self):
        _real_task_done(self)
        return
    _reach(self, me, TASK_DONE, self.mutex.is_free, block=True, timeout=None)
    with _MutexHeld(self, me):
        unfinished = self.unfinished_tasks - 1
        if unfinished < 0:
            raise ValueError("task_done() called too many times")
        if unfinished == 0 and self.all_tasks_done._waiters:
            self.all_tasks_done.notify_all()
        self.unfinished_tasks = unfinished
    me.engine.tracker.track_twin_access(me, self, UNFINISHED)
    if me.engine.measuring:
        me.engine.noted(me, TASK_DONE, self)


def join(self: Any) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier or not _is_modeled(self):
        _real_join(self)
        return
    me.engine.operate(me, JOIN_QUEUE, self, lambda: self.mutex.holder is None and not self.unfinished_tasks)
    if me.engine.measuring:
        me.engine.noted(me, JOIN_QUEUE, self)


def _observed_size(self: Any, me: Carrier) -> int:
    """Return the queue's size. This blocks only while another thread holds the mutex."""
    me.engine.operate(me, SIZE, self, self.mutex.is_free)
    me.engine.tracker.track_twin_access(me, self.queue, CONTENT, writes=False)
    return len(self.queue)


def qsize(self: Any) -> int:
    me = getcurrent()
    return _observed_size(self, me) if me.__class__ is Carrier and _is_modeled(self) else _real_qsize(self)


def empty(self: Any) -> bool:
    me = getcurrent()
    return not _observed_size(self, me) if me.__class__ is Carrier and _is_modeled(self) else _real_empty(self)


def full(self: Any) -> bool:
    me = getcurrent()
    return (
        0 < self.maxsize <= _observed_size(self, me)
        if me.__class__ is Carrier and _is_modeled(self)
        else _real_full(self)
    )


PATCHES = (
    (queue.Queue, "__init__", init),
    (queue.Queue, "put", put),
    (queue.Queue, "get", get),
    (queue.Queue, "task_done", task_done),
    (queue.Queue, "join", join),
    (queue.Queue, "qsize", qsize),
    (queue.Queue, "empty", empty),
    (queue.Queue, "full", full),
)
