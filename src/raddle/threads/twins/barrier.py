"""What is special about `threading.Barrier`: it runs as it is, on the twin of its condition, but can be looked at."""

from __future__ import annotations

import threading
from typing import Any

from raddle.engine.carrier import Carrier, getcurrent
from raddle.operation import LOCKED


def _looking(name: str) -> property:
    """A property read without the barrier's lock: from now on it matters when exactly locks are given back."""
    real = threading.Barrier.__dict__[name].fget

    def look(self: Any) -> Any:
        me = getcurrent()
        if me.__class__ is Carrier:
            me.engine.observe("lock")
            me.engine.operate(me, LOCKED, self)
        return real(self)

    return property(look)


PATCHES = tuple((threading.Barrier, name, _looking(name)) for name in ("n_waiting", "broken"))
