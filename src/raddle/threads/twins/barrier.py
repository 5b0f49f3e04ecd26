"""Patches for `threading.Barrier`, whose own code runs on the twin of its condition.

For criteria, a barrier is a resource like a semaphore: a thread that arrives releases it, and a thread that continues
acquires it. There is a scheduling point before each read of `n_waiting` or `broken`.
"""

from __future__ import annotations

import threading
from typing import Any

from raddle.engine.carrier import Carrier, getcurrent
from raddle.operation import DOWN, LOCKED, UP

_real_wait = threading.Barrier.wait
_real_enter = threading.Barrier._enter  # type: ignore[attr-defined]


def wait(self: Any, timeout: float | None = None) -> int:
    me = getcurrent()
    if me.__class__ is not Carrier or not me.engine.measuring:
        return _real_wait(self, timeout)
    site = me.site
    index = _real_wait(self, timeout)
    me.site = site  # the barrier's action may have changed the site
    me.engine.noted(me, DOWN, self)
    return index


def _enter(self: Any) -> None:
    """Arrive at the barrier. The caller holds the barrier's lock, so criteria see the arrivals in order."""
    _real_enter(self)
    me = getcurrent()
    if me.__class__ is Carrier and me.engine.measuring:
        me.engine.noted(me, UP, self)


def _observed_property(name: str) -> property:
    """Return the twin of a property that reads the barrier's state without acquiring its lock."""
    real = threading.Barrier.__dict__[name].fget

    def read_property(self: Any) -> Any:
        me = getcurrent()
        if me.__class__ is Carrier:
            me.engine.mark_observed("lock")  # makes lock releases visible operations
            me.engine.operate(me, LOCKED, self)
        return real(self)

    return property(read_property)


PATCHES = (
    (threading.Barrier, "wait", wait),
    (threading.Barrier, "_enter", _enter),
    *((threading.Barrier, name, _observed_property(name)) for name in ("n_waiting", "broken")),
)
