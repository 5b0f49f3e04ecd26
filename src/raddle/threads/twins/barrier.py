"""What is special about `threading.Barrier`: it runs as it is, on the twin of its condition, but can be looked at.

For criteria it is a resource of its own: who arrives gives to all, and who goes on takes from all, as by a semaphore.
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
    me.site = site  # the barrier's action may have changed it
    me.engine.noted(me, DOWN, self)
    return index


def _enter(self: Any) -> None:
    """Arrive, while the lock of the barrier is held: criteria see threads in the order in which they arrived."""
    _real_enter(self)
    me = getcurrent()
    if me.__class__ is Carrier and me.engine.measuring:
        me.engine.noted(me, UP, self)


def _looking(name: str) -> property:
    """A property read without the barrier's lock: from now on it matters when exactly locks are given back."""
    real = threading.Barrier.__dict__[name].fget

    def look(self: Any) -> Any:
        me = getcurrent()
        if me.__class__ is Carrier:
            me.engine.mark_observed("lock")
            me.engine.operate(me, LOCKED, self)
        return real(self)

    return property(look)


PATCHES = (
    (threading.Barrier, "wait", wait),
    (threading.Barrier, "_enter", _enter),
    *((threading.Barrier, name, _looking(name)) for name in ("n_waiting", "broken")),
)
