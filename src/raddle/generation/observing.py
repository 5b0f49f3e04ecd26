"""Tells which methods can observe an object after the threads of a test have ended."""

from __future__ import annotations

from raddle.generation.surface import Method, MethodKind

_KINDS = (MethodKind.METHOD, MethodKind.PROPERTY, MethodKind.OPERATOR)
_TEXTS = frozenset({"__hash__", "__str__", "__repr__", "__next__", "__call__"})  # special methods that do not observe


def can_observe(method: Method) -> bool:
    """Return whether a method may observe the object: it needs no arguments, and its result can be compared.

    >>> from raddle.generation.expressions import Imported
    >>> names = ("size", "__str__")
    >>> [can_observe(Method(name, MethodKind.METHOD, Imported("log", "Log"))) for name in names]
    [True, False]
    """
    required = any(parameter.required for parameter in method.parameters)
    return method.kind in _KINDS and not required and method.name not in _TEXTS
