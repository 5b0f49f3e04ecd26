"""Twins of `queue.Queue`, `LifoQueue` and `PriorityQueue`: methods put in place of the classes' own.

A put or a get is one step: nobody can see a queue half way through. It waits for the queue's mutex too,
as code under test may hold that. A queue class with a `_qsize` of its own is left to the standard
library's code, which then runs on the twins of locks and conditions.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any

from raddle.sync.adopt import adopt_queue
from raddle.sync.carrier import Carrier, getcurrent
from raddle.sync.lock import Lock

_real_put = queue.Queue.put
_real_get = queue.Queue.get
_real_task_done = queue.Queue.task_done
_real_join = queue.Queue.join
_real_qsize = queue.Queue.qsize
_real_empty = queue.Queue.empty
_real_full = queue.Queue.full
_plain_sizes = {queue.Queue._qsize, queue.LifoQueue._qsize, queue.PriorityQueue._qsize}
_ShutDown: type[Exception] | None = getattr(queue, "ShutDown", None)  # since 3.13


def _simple(self: Any) -> bool:
    if self.mutex.__class__ is not Lock:
        adopt_queue(self)
    return type(self)._qsize in _plain_sizes


def _reach(self: Any, me: Carrier, kind: str, ready: Callable[[], bool], block: bool, timeout: float | None) -> bool:
    """Take the mutex as soon as the queue is ready; False where that was not to be had in time."""
    mutex = self.mutex
    control = me.control
    if not block:
        me.kind, me.target, me.ready = kind, self, mutex.is_free
        control.reach(me)
        got = ready()
    elif timeout is None:
        me.kind, me.target, me.ready = kind, self, lambda: mutex.holder is None and ready()
        control.reach(me)
        got = True
    elif timeout < 0:
        raise ValueError("'timeout' must be a non-negative number")
    else:
        got = control.wait(me, kind, self, lambda: mutex.holder is None and ready(), timeout)
    me.ready = None
    if got:
        mutex.holder = me
        me.held.append(mutex)
    return got


def _done(self: Any, me: Carrier, condition: Any) -> None:
    if condition._waiters:  # code under test that waits on the queue's own conditions
        condition.notify()
    if self.mutex.holder is me:
        self.mutex.holder = None
        me.held.remove(self.mutex)


def put(self: Any, item: Any, block: bool = True, timeout: float | None = None) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier or not _simple(self):
        _real_put(self, item, block, timeout)
        return
    size = self.maxsize
    shutdown = _ShutDown is not None and self.is_shutdown

    def has_room() -> bool:
        return size <= 0 or len(self.queue) < size or (_ShutDown is not None and self.is_shutdown)

    if size <= 0:
        block, timeout = True, None
    if shutdown and _ShutDown is not None:
        raise _ShutDown
    if not _reach(self, me, "put", has_room, block, timeout):
        raise queue.Full
    try:
        if _ShutDown is not None and self.is_shutdown:
            raise _ShutDown
        self._put(item)
        self.unfinished_tasks += 1
    finally:
        _done(self, me, self.not_empty)
    if me.control.observing:
        me.control.happened(me, "put", self, item)


def get(self: Any, block: bool = True, timeout: float | None = None) -> Any:
    me = getcurrent()
    if me.__class__ is not Carrier or not _simple(self):
        return _real_get(self, block, timeout)

    def has_item() -> bool:
        return bool(self.queue) or (_ShutDown is not None and self.is_shutdown)

    if not _reach(self, me, "get", has_item, block, timeout):
        raise queue.Empty
    try:
        if _ShutDown is not None and self.is_shutdown and not self.queue:
            raise _ShutDown
        item = self._get()
    finally:
        _done(self, me, self.not_full)
    if me.control.observing:
        me.control.happened(me, "get", self, item)
    return item


def task_done(self: Any) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier or not _simple(self):
        _real_task_done(self)
        return
    _reach(self, me, "task-done", lambda: True, True, None)
    try:
        unfinished = self.unfinished_tasks - 1
        if unfinished < 0:
            raise ValueError("task_done() called too many times")
        if unfinished == 0 and self.all_tasks_done._waiters:
            self.all_tasks_done.notify_all()
        self.unfinished_tasks = unfinished
    finally:
        _done(self, me, _Nobody)


class _Nobody:
    _waiters: tuple[()] = ()


def join(self: Any) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier or not _simple(self):
        _real_join(self)
        return
    me.kind, me.target = "join-queue", self
    me.ready = lambda: self.mutex.holder is None and not self.unfinished_tasks
    me.control.reach(me)
    me.ready = None


def _looking(real: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """qsize, empty and full: a look without blocking."""

    def look(self: Any) -> Any:
        me = getcurrent()
        if me.__class__ is not Carrier or not _simple(self):
            return real(self)
        me.kind, me.target, me.ready = "size", self, self.mutex.is_free
        me.control.reach(me)
        me.ready = None
        size, most = len(self.queue), self.maxsize
        return size if real is _real_qsize else not size if real is _real_empty else 0 < most <= size

    return look


PATCHES = (
    (queue.Queue, "put", put),
    (queue.Queue, "get", get),
    (queue.Queue, "task_done", task_done),
    (queue.Queue, "join", join),
    (queue.Queue, "qsize", _looking(_real_qsize)),
    (queue.Queue, "empty", _looking(_real_empty)),
    (queue.Queue, "full", _looking(_real_full)),
)
