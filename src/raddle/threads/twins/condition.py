"""The twin of `threading.Condition`: methods that replace those of the class while twins are installed."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

from raddle import env
from raddle.engine import waits
from raddle.engine.carrier import Carrier, getcurrent
from raddle.engine.participant import Alternative
from raddle.engine.rules import Wakeups
from raddle.operation import LOCKED, NOTIFY, RELEASE, WAIT, WOKEN
from raddle.threads.twins.adopt import adopt_condition
from raddle.threads.twins.lock import Lock, RLock

_real_init = threading.Condition.__init__
_real_wait = threading.Condition.wait
_real_notify = threading.Condition.notify


class Ticket:
    """One thread's wait. In CPython's list of waiters, it replaces the lock on which `notify` calls `release`."""

    __slots__ = ("label", "woken")

    def __init__(self, label: str) -> None:
        self.label = label  # the label of the waiting thread
        self.woken = False

    def release(self) -> None:
        self.woken = True


def init(self: Any, lock: Any = None) -> None:
    """Initialize like CPython, but skip the slow search for methods that a plain lock does not have."""
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
        # A plain lock does not know its owner, so CPython only checks whether it is locked.
        me.engine.mark_observed("lock")
        me.engine.operate(me, LOCKED, lock)
    return lock.holder is not None


def wait(self: Any, timeout: float | None = None) -> bool:
    me = getcurrent()
    # CPython's code handles NaN without blocking: current versions reject it, older ones treat it as 0.
    if me.__class__ is not Carrier or timeout != timeout:
        return _real_wait(self, timeout)
    lock = self._lock
    if type(lock) is not Lock and type(lock) is not RLock:
        lock = adopt_condition(self)
        if type(lock) is not Lock and type(lock) is not RLock:
            return _wait_on_foreign_lock(self, me, timeout)
    if not _owned(lock, me):
        raise RuntimeError("cannot wait on un-acquired lock")
    engine = me.engine
    ticket = Ticket(me.label)
    if "lock" in engine.points.visible:
        engine.operate(me, RELEASE, lock)
    self._waiters.append(ticket)
    saved = lock.count if type(lock) is RLock else 0
    holder = lock.holder
    lock.drop()
    if holder.__class__ is Carrier:
        holder.own.held.remove(lock)
    if engine.observing:
        engine.happened(me, WAIT, self)
    try:
        woken = _sleep(self, me, lock, ticket, timeout)
    finally:
        me.ready = None
        me.timed_out = False
        if not ticket.woken and ticket in self._waiters:
            self._waiters.remove(ticket)
    lock.holder = me
    if saved:
        lock.count = saved
    me.own.held.append(lock)
    if engine.observing:
        engine.happened(me, WOKEN, self, woken)
    return woken


def _sleep(self: Any, me: Carrier, lock: Any, ticket: Ticket, timeout: float | None) -> bool:
    """Block until notified or timed out, and until the lock is free; return whether the thread was notified."""
    if timeout is None:
        me.engine.operate(me, WAIT, self, lambda: ticket.woken and lock.holder is None)
    elif timeout > 0:
        return waits.wait_for_both(me, WAIT, self, lambda: ticket.woken, timeout, needs=lock.is_free)
    else:
        me.timed_out = True
        me.engine.operate(me, WAIT, self, lock.is_free)
    return ticket.woken


def _wait_on_foreign_lock(self: Any, me: Carrier, timeout: float | None) -> bool:
    """Wait as CPython does, by calling the methods of the program's own lock class."""
    if not self._is_owned():
        raise RuntimeError("cannot wait on un-acquired lock")
    ticket = Ticket(me.label)
    self._waiters.append(ticket)
    saved = self._release_save()
    try:
        if timeout is None:
            me.engine.operate(me, WAIT, self, lambda: ticket.woken)
        elif timeout > 0:
            waits.wait(me, WAIT, self, lambda: ticket.woken, timeout)
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
    if NOTIFY in me.engine.known_points.kinds:  # no thread can observe the notification, but some criteria measure it
        me.engine.operate(me, NOTIFY, self)
    waiters = self._waiters
    if not waiters:
        me.own.world.lost.add(id(self))
    while waiters and n > 0:
        _next_ticket(self, me).release()
        n -= 1
    if me.engine.observing:
        me.engine.happened(me, NOTIFY, self)


def _next_ticket(self: Any, me: Carrier) -> Ticket:
    """Remove and return the waiter to wake: the first, unless the rules let the scheduler choose."""
    waiters = self._waiters
    if me.engine.rules.wakeups is Wakeups.FIFO or len(waiters) == 1:
        return waiters.popleft()  # type: ignore[no-any-return]
    options = [Alternative(f"wakes {ticket.label}", ticket) for ticket in waiters]
    chosen = me.engine.operate_as_chosen(me, NOTIFY, self, lambda: options)
    waiters.remove(chosen.value)
    return chosen.value  # type: ignore[no-any-return]


def _lock_method(name: str) -> property:
    """Return a property for a method that each condition copies from its lock.

    A condition that was created before the twins were installed has the real lock's method in its `__dict__`. The
    property takes precedence over that method.
    """

    def look_up(self: Any) -> Any:
        if getcurrent().__class__ is Carrier:
            adopt_condition(self)
        return self.__dict__[name]

    def store(self: Any, method: Any) -> None:
        self.__dict__[name] = method

    return property(look_up, store)


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
    (threading.Condition, "acquire", _lock_method("acquire")),
    (threading.Condition, "release", _lock_method("release")),
    *(((threading.Condition, "locked", _lock_method("locked")),) if env.RLOCKS_HAVE_LOCKED else ()),
)
