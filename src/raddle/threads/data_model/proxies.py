"""Proxies of C's: objects through which attributes and items of another one are reached.

What is done to them is done to the object behind. A proxy written in Python needs none of this: it is seen to ask the
object behind itself.
"""

from __future__ import annotations

import weakref
from types import GetSetDescriptorType
from typing import Any

from raddle.inspection import fields_of, mro
from raddle.threads.data_model.variables import MAX_KINDS

WRAPPED = "__wrapped__"
# What is behind is made by code of the program's, when it is asked for.
_MAKING = ("__factory__", "__wrapped_factory__")
_OWN = "_self_"  # how the attributes begin that a proxy of `wrapt` keeps for itself

_known: dict[int, tuple[type, bool]] = {}  # by id: the class, kept alive


def behind(obj: Any, name: str = "") -> Any:
    """The object that has what is asked of a proxy; None if it is no proxy, or has what `name` says itself.

    >>> class Box: n = 0
    >>> box = Box()
    >>> behind(weakref.proxy(box), "n") is box, behind(box, "n")
    (True, None)
    """
    cls = type(obj)
    known = _known.get(id(cls))
    if known is None:
        if len(_known) >= MAX_KINDS:
            _known.clear()
        known = _known[id(cls)] = cls, _is_weak(cls) or _wraps(cls)
    if not known[1]:
        return None
    try:
        if _is_weak(cls):
            return obj.__reduce_ex__.__self__  # what it is asked for it hands on
        if name.startswith(_OWN) or any(name in fields_of(base) for base in mro(cls)):
            return None
        return obj.__wrapped__
    except (AttributeError, ReferenceError, ValueError):  # there is nothing behind any more, or not yet
        return None


def _is_weak(cls: type) -> bool:
    return any(cls is kind for kind in weakref.ProxyTypes)


def _wraps(cls: type) -> bool:
    """Has a class an attribute of C's that says what is wrapped? A slot of that name in a class of Python's is none."""
    fields = [fields_of(base) for base in mro(cls)]
    return any(type(own.get(WRAPPED)) is GetSetDescriptorType for own in fields) and not any(
        name in own for own in fields for name in _MAKING
    )
