"""The twin of `threading.Condition`: methods put in place of the class's own while raddle is at work."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

from raddle import env
from raddle.sync.adopt import adopt_condition
from raddle.sync.carrier import Carrier, getcurrent
from raddle.sync.lock import Lock, RLock

_real_init = threading.Condition.__init__
_real_wait = threading.Condition.wait
_real_notify = threading.Condition.notify
_real_enter = threading.Condition.__enter__
_real_exit = threading.Condition.__exit__


class Ticket:
    """One thread's wait. `release` is what `notify` calls on the lock that stands here in CPython."""

    __slots__ = ("woken",)

    def __init__(self) -> None:
        self.woken = False

    def release(self) -> None:
        self.woken = True


def init(self: Any, lock: Any = None) -> None:
    """What CPython's does, without asking a plain lock for methods it does not have: that is slow."""
    if lock is None:
        lock = threading.RLock()
    if type(lock) is not Lock:
        _real_init(self, lock)
        return
    self._lock = lock
    self.acquire = lock.acquire
    self.release = lock.release
    if env.RLOCKS_HAVE_LOCKED:
        self.locked = lock.locked
    self._waiters = deque()


def _owned(lock: Any, me: Carrier) -> bool:
    if type(lock) is RLock:
        return lock.holder is me
    if lock.holder is not me:
        # A plain lock does not know its owner: CPython only looks whether it is locked at all.
        me.control.observe("lock")
        me.kind, me.target, me.ready = "locked", lock, None
        me.control.reach(me)
    return lock.holder is not None


def wait(self: Any, timeout: float | None = None) -> bool:
    me = getcurrent()
    # NaN is left to CPython's code, which never blocks: current versions refuse it, older ones take it for 0.
    if me.__class__ is not Carrier or timeout != timeout:
        return _real_wait(self, timeout)
    lock = self._lock
    if type(lock) is not Lock and type(lock) is not RLock:
        lock = adopt_condition(self)
        if type(lock) is not Lock and type(lock) is not RLock:
            return _wait_on_foreign_lock(self, me, timeout)
    if not _owned(lock, me):
        raise RuntimeError("cannot wait on un-acquired lock")
    control = me.control
    ticket = Ticket()
    if "lock" in control.visible:
        me.kind, me.target, me.ready = "release", lock, None
        control.reach(me)
    self._waiters.append(ticket)
    saved = lock.count if type(lock) is RLock else 0
    holder = lock.holder
    lock.drop()
    if holder.__class__ is Carrier:
        holder.held.remove(lock)
    if control.observing:
        control.happened(me, "wait", self)
    me.kind = "wait"
    me.target = self
    me.timed_out = False
    if timeout is None:
        me.ready = lambda: ticket.woken and lock.holder is None
    else:
        me.ready = lambda: (ticket.woken or me.timed_out) and lock.holder is None
        if timeout > 0:
            control.set_timer(me, timeout)
        else:
            me.timed_out = True
    try:
        control.reach(me)
    finally:
        me.ready = None
        me.timed_out = False
        me.timer = 0
        if not ticket.woken and ticket in self._waiters:
            self._waiters.remove(ticket)
    lock.holder = me
    if saved:
        lock.count = saved
    me.held.append(lock)
    if control.observing:
        control.happened(me, "woken", self, ticket.woken)
    return ticket.woken


def _wait_on_foreign_lock(self: Any, me: Carrier, timeout: float | None) -> bool:
    """As CPython's, for a condition over somebody's own lock class: wait, then acquire as that class does."""
    if not self._is_owned():
        raise RuntimeError("cannot wait on un-acquired lock")
    ticket = Ticket()
    self._waiters.append(ticket)
    saved = self._release_save()
    try:
        if timeout is None:
            me.kind, me.target, me.ready = "wait", self, lambda: ticket.woken
            me.control.reach(me)
            me.ready = None
        elif timeout > 0:
            me.control.wait(me, "wait", self, lambda: ticket.woken, timeout)
        return ticket.woken
    finally:
        self._acquire_restore(saved)
        if not ticket.woken and ticket in self._waiters:
            self._waiters.remove(ticket)


def notify(self: Any, n: int = 1) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier:
        _real_notify(self, n)
        return
    lock = self._lock
    if type(lock) is Lock or type(lock) is RLock:
        owned = _owned(lock, me)
    else:
        lock = adopt_condition(self)
        owned = _owned(lock, me) if type(lock) is Lock or type(lock) is RLock else self._is_owned()
    if not owned:
        raise RuntimeError("cannot notify on un-acquired lock")
    waiters = self._waiters
    if not waiters:
        me.control.lost.add(id(self))
    while waiters and n > 0:
        waiters.popleft().release()
        n -= 1
    if me.control.observing:
        me.control.happened(me, "notify", self)


def _of_the_lock(name: str) -> property:
    """Make a property for a method that each condition takes from its lock.

    A condition made earlier has the method of a real lock, in its `__dict__`. A property of the class is found first.
    """

    def look_up(self: Any) -> Any:
        if getcurrent().__class__ is Carrier:
            adopt_condition(self)
        return self.__dict__[name]

    def keep(self: Any, method: Any) -> None:
        self.__dict__[name] = method

    return property(look_up, keep)


def enter(self: Any) -> Any:
    lock = self._lock
    if type(lock) is not RLock and getcurrent().__class__ is Carrier:
        lock = adopt_condition(self)
    return lock.__enter__()


def leave(self: Any, *exc: Any) -> Any:
    lock = self._lock
    if type(lock) is not RLock and getcurrent().__class__ is Carrier:
        lock = adopt_condition(self)
    return lock.__exit__(*exc)


PATCHES = (
    (threading.Condition, "__init__", init),
    (threading.Condition, "wait", wait),
    (threading.Condition, "notify", notify),
    (threading.Condition, "__enter__", enter),
    (threading.Condition, "__exit__", leave),
    (threading.Condition, "acquire", _of_the_lock("acquire")),
    (threading.Condition, "release", _of_the_lock("release")),
    *(((threading.Condition, "locked", _of_the_lock("locked")),) if env.RLOCKS_HAVE_LOCKED else ()),
)
