"""The twin of `threading.Event`: methods put in place of the class's own while raddle is at work."""

from __future__ import annotations

import threading
from typing import Any

from raddle.sync.carrier import Carrier, getcurrent
from raddle.sync.condition import Ticket

_real_wait = threading.Event.wait
_real_set = threading.Event.set
_real_clear = threading.Event.clear


def is_set(self: Any) -> bool:
    me = getcurrent()
    if me.__class__ is Carrier:
        me.control.observe("event")
        me.kind, me.target, me.ready = "is-set", self, None
        me.control.reach(me)
        if me.control.observing:
            me.control.happened(me, "is-set", self, self._flag)
    return self._flag  # type: ignore[no-any-return]


def set_(self: Any) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier:
        _real_set(self)
        return
    if "event" in me.control.visible:
        me.kind, me.target, me.ready = "set", self, None
        me.control.reach(me)
    self._flag = True
    waiters = self._cond._waiters
    while waiters:
        waiters.popleft().release()
    if me.control.observing:
        me.control.happened(me, "set", self)


def clear(self: Any) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier:
        _real_clear(self)
        return
    # After a clear it matters when exactly the event was set, as after somebody's look at it.
    me.control.observe("event")
    me.kind, me.target, me.ready = "clear", self, None
    me.control.reach(me)
    if self._flag:
        me.control.lost.add(id(self))
    self._flag = False
    if me.control.observing:
        me.control.happened(me, "clear", self)


def wait(self: Any, timeout: float | None = None) -> bool:
    me = getcurrent()
    # NaN is left to CPython's code, which never blocks: current versions refuse it, older ones take it for 0.
    if me.__class__ is not Carrier or timeout != timeout:
        return _real_wait(self, timeout)
    control = me.control
    if timeout is not None and timeout <= 0:
        return is_set(self)
    if "event" in control.visible:
        # Somebody may clear the event: whoever waits by then is woken, whoever comes later is not.
        me.kind, me.target, me.ready = "before-wait", self, None
        control.reach(me)
    ticket = Ticket()
    ticket.woken = self._flag
    waiters = self._cond._waiters
    if not ticket.woken:
        waiters.append(ticket)
    try:
        if timeout is None:
            me.kind, me.target, me.ready = "wait-set", self, lambda: ticket.woken
            control.reach(me)
            me.ready = None
        else:
            control.wait(me, "wait-set", self, lambda: ticket.woken, timeout)
    finally:
        if not ticket.woken:
            waiters.remove(ticket)
    if control.observing:
        control.happened(me, "wait-set", self, ticket.woken)
    return ticket.woken


PATCHES = (
    (threading.Event, "is_set", is_set),
    (threading.Event, "set", set_),
    (threading.Event, "clear", clear),
    (threading.Event, "wait", wait),
)
