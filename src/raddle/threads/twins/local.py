"""The twin of `threading.local`: all carriers share one OS thread, so the real one would be shared too.

Objects made under control are those of the standard library's own Python version, which goes by
`current_thread()`. One made earlier is asked for through the probes: each carrier but the first gets a
fresh object of the same class in its stead.
"""

from __future__ import annotations

import _thread
import _threading_local
from contextlib import nullcontext
from typing import Any

from raddle.engine.carrier import Carrier, getcurrent
from raddle.threads.endings import uncontrolled
from raddle.threads.twins.resemblance import claimed_class, resembling

RealLocal = _thread._local


@resembling(RealLocal)
class local(_threading_local.local):  # noqa: N801 -- the standard library's name
    """What `threading.local()` gives under control; elsewhere a real one."""

    __class__ = claimed_class(RealLocal)

    def __new__(cls, /, *args: Any, **kwargs: Any) -> Any:
        if cls is local and getcurrent().__class__ is not Carrier:
            return RealLocal()
        made = _threading_local.local.__new__(cls, *args, **kwargs)  # `super()` needs a plain `__class__`
        # Its lock keeps others out while a thread's own attributes are put in place and asked for. Nobody can come in
        # between here, and with a lock of ours every look at an attribute would be a step.
        object.__getattribute__(made, "_local__impl").locallock = nullcontext()
        return made

    def __reduce__(self) -> Any:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")


local.__name__ = "_thread._local"  # what an AttributeError calls it


def own(shared: Any, me: Carrier) -> Any:
    """The carrier's own version of a real `threading.local` object."""
    if me.index == 0:
        return shared
    mine = me.own.locals.get(id(shared))
    if mine is None:
        kind: Any = type(shared)
        mine = kind.__new__(kind)
        me.own.locals[id(shared)] = me.own.locals[id(mine)] = mine  # known as its own: its __init__ may be probed
        try:
            mine.__init__()
        except TypeError as error:
            message = f"a {kind.__name__} made before raddle came cannot be made again for another thread: {error}"
            uncontrolled(me, message)
    return mine
