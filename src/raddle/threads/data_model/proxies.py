"""Proxies implemented in C, which forward attribute and item accesses to another object.

An access to a proxy counts as an access to the proxied object. Proxies written in Python need no special treatment,
because their own accesses to the proxied object are observed.
"""

from __future__ import annotations

import weakref
from types import GetSetDescriptorType
from typing import Any

from raddle.inspection import fields_of, mro
from raddle.threads.data_model.variables import MAX_CLASSES

WRAPPED = "__wrapped__"
# Attributes in which lazy proxies store a factory. The factory, which is part of the program, creates the proxied
# object on first use.
_FACTORIES = ("__factory__", "__wrapped_factory__")
_OWN_PREFIX = "_self_"  # prefix of the attributes that a `wrapt` proxy stores in itself

_cache: dict[int, tuple[type, bool]] = {}  # maps the id of a class to the class (kept alive) and the result


def proxied_object(obj: Any, name: str = "") -> Any:
    """Return the object behind a proxy; None if `obj` is not a proxy, or if the proxy itself has the attribute `name`.

    >>> class Box: n = 0
    >>> box = Box()
    >>> proxied_object(weakref.proxy(box), "n") is box, proxied_object(box, "n")
    (True, None)
    """
    cls = type(obj)
    cached = _cache.get(id(cls))
    if cached is None:
        if len(_cache) >= MAX_CLASSES:
            _cache.clear()
        cached = _cache[id(cls)] = cls, _is_weak(cls) or _is_wrapper(cls)
    if not cached[1]:
        return None
    try:
        if _is_weak(cls):
            return obj.__reduce_ex__.__self__  # the bound method belongs to the proxied object
        if name.startswith(_OWN_PREFIX) or any(name in fields_of(base) for base in mro(cls)):
            return None
        return obj.__wrapped__
    except (AttributeError, ReferenceError, ValueError):  # the proxied object has been deleted or is not set yet
        return None


def _is_weak(cls: type) -> bool:
    return any(cls is kind for kind in weakref.ProxyTypes)


def _is_wrapper(cls: type) -> bool:
    """Return whether a class has a `__wrapped__` attribute implemented in C and is not a class of lazy proxies."""
    fields = [fields_of(base) for base in mro(cls)]
    return any(type(own.get(WRAPPED)) is GetSetDescriptorType for own in fields) and not any(
        name in own for own in fields for name in _FACTORIES
    )
