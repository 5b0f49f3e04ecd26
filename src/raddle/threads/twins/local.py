"""The twin of `threading.local`. Carriers share one OS thread, so they would share a real object's attributes.

Objects created in a controlled execution use the standard library's Python implementation, which relies on
`current_thread()`. Objects created earlier are handled by the probes: each carrier except the first accesses a new
object of the same class instead.
"""

from __future__ import annotations

import _thread
import _threading_local
import gc
from contextlib import nullcontext
from typing import Any

from raddle.engine.carrier import Carrier, getcurrent
from raddle.threads.twins.resemblance import claimed_class, resembling

RealLocal = _thread._local


@resembling(RealLocal)
class local(_threading_local.local):  # noqa: N801 -- the standard library's name
    """The twin of `threading.local`.

    Outside a controlled execution, calling this class returns a real `threading.local` object.
    """

    __class__ = claimed_class(RealLocal)

    def __new__(cls, /, *args: Any, **kwargs: Any) -> Any:
        if cls is local and getcurrent().__class__ is not Carrier:
            return RealLocal()
        made = _threading_local.local.__new__(cls, *args, **kwargs)  # `super()` would need a plain `__class__`
        # The lock protects each access to a thread's attributes. It is not needed, because no switch can happen during
        # an access. Its twin would make every attribute access a step.
        object.__getattribute__(made, "_local__impl").locallock = nullcontext()
        return made

    def __reduce__(self) -> Any:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")


local.__name__ = "_thread._local"  # the name in the message of an AttributeError


def own_version(shared: Any, me: Carrier) -> Any:
    """Return a carrier's own version of a real `threading.local` object."""
    if me.index == 0:
        return shared
    mine = me.own.locals.get(id(shared))
    if mine is None:
        kind: Any = type(shared)
        mine = kind.__new__(kind)
        # Also record the new object under its own id, because probes in `__init__` look up the version of that object.
        me.own.locals[id(shared)] = me.own.locals[id(mine)] = mine
        arguments, keywords = _arguments_of(shared)
        mine.__init__(*arguments, **keywords)
    return mine


def _arguments_of(shared: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments with which a real `threading.local` object was created.

    The object keeps them, because `__init__` is called with them in every thread. Only the garbage collector can see
    them: it visits the tuple of positional arguments first, then the dictionary of keywords, and then dictionaries
    whose keys are not strings.
    """
    referents = gc.get_referents(shared)
    arguments = next((found for found in referents if type(found) is tuple), ())
    dictionaries = (found for found in referents if type(found) is dict)
    keywords = next((found for found in dictionaries if found and all(type(key) is str for key in found)), {})
    return arguments, keywords
