"""The twin of `threading.Event`: methods that replace those of the class while twins are installed."""

from __future__ import annotations

import threading
from typing import Any

from raddle.engine import waits
from raddle.engine.carrier import Carrier, getcurrent
from raddle.operation import BEFORE_WAIT, CLEAR, IS_SET, SET, WAIT_SET
from raddle.schedulers.calculus import Describe, Touched
from raddle.threads import modes
from raddle.threads.twins.condition import Ticket

_real_wait = threading.Event.wait
_real_set = threading.Event.set
_real_clear = threading.Event.clear


def is_set(self: Any) -> bool:
    me = getcurrent()
    if me.__class__ is Carrier:
        me.engine.mark_observed("event")
        me.engine.operate(me, IS_SET, self)
        if me.engine.observing:
            me.engine.happened(me, IS_SET, self, self._flag)
    return self._flag  # type: ignore[no-any-return]


def set_(self: Any) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier:
        _real_set(self)
        return
    if "event" in me.engine.points.visible:
        me.engine.operate(me, SET, self)
    self._flag = True
    waiters = self._cond._waiters
    while waiters:
        waiters.popleft().release()
    if me.engine.observing:
        me.engine.happened(me, SET, self)


def clear(self: Any) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier:
        _real_clear(self)
        return
    # A clear makes the order of sets visible to other threads, as `is_set` does.
    me.engine.mark_observed("event")
    me.engine.operate(me, CLEAR, self)
    if self._flag:
        me.own.world.lost.add(id(self))
    self._flag = False
    if me.engine.observing:
        me.engine.happened(me, CLEAR, self)


def wait(self: Any, timeout: float | None = None) -> bool:
    me = getcurrent()
    # CPython's code handles NaN without blocking: current versions reject it, older ones treat it as 0.
    if me.__class__ is not Carrier or timeout != timeout:
        return _real_wait(self, timeout)
    engine = me.engine
    if timeout is not None and timeout <= 0:
        return is_set(self)
    if "event" in engine.points.visible:
        # If the event is set and then cleared, threads that are already waiting are woken, but threads that arrive
        # later are not.
        engine.operate(me, BEFORE_WAIT, self)
    ticket = Ticket(me.label)
    ticket.woken = self._flag
    waiters = self._cond._waiters
    if not ticket.woken:
        waiters.append(ticket)
    try:
        if timeout is None:
            engine.operate(me, WAIT_SET, self, lambda: ticket.woken)
            woken = True
        else:
            woken = waits.wait(me, WAIT_SET, self, lambda: ticket.woken, timeout)
    finally:
        if not ticket.woken:
            waiters.remove(ticket)
    if engine.observing:
        engine.happened(me, WAIT_SET, self, woken)
    return woken


PATCHES = (
    (threading.Event, "is_set", is_set),
    (threading.Event, "set", set_),
    (threading.Event, "clear", clear),
    (threading.Event, "wait", wait),
)


def _state(event: Any) -> tuple[int, ...]:
    return (int(event._flag),)


def _describe(mode: int, need: int = 0) -> Describe:
    def describe(thread: Any, target: Any) -> Touched:
        actual_need = 0 if thread.timer and thread.ready is None else need  # never blocks if it may time out early
        return [(target, "", modes.READ if thread.timer else mode)], actual_need, None, target, _state

    return describe


DESCRIPTIONS = {
    SET: _describe(modes.SET),
    CLEAR: _describe(modes.CLEAR),
    IS_SET: _describe(modes.READ),
    BEFORE_WAIT: _describe(modes.ARRIVE),
    WAIT_SET: _describe(modes.PASS, modes.IS_SET),
}
