"""Which calls make objects without a probe in a constructor that would show it.

A class with a constructor in instrumented code needs no attention where it is called: the constructor is entered with
the object, however that came about. Classes without a constructor, dataclasses and their like, and classes that inherit
one from C or from a library are noticed where instrumented code calls them.
"""

from __future__ import annotations

import sys
from types import BuiltinFunctionType, FunctionType, MethodWrapperType
from typing import Any

from raddle import probe
from raddle.inspection import class_attribute, dict_offset_of, module_of, own_fields
from raddle.threads.twins.adopt import TWINS

# Classes of Python itself whose objects have a `__dict__` but are no data; some ask who calls them.
_NO_DATA = frozenset({"builtins", "functools", "typing", "_thread", "threading", "queue", "_queue"})
_CALL = type.__dict__["__call__"]


class CreationRules:
    """Says what makes objects, and remembers it for classes."""

    __slots__ = ("_objects", "_silent", "_unprobed")

    def __init__(self) -> None:
        # By id of a class, which is kept alive: the answers of the methods below.
        self._silent: dict[int, tuple[type, bool]] = {}
        self._objects: dict[int, tuple[type, bool]] = {}
        self._unprobed: dict[int, tuple[type, bool]] = {}

    def makes(self, called: Any) -> bool:
        """Return whether calling this makes an object that no probe shows.

        >>> from types import SimpleNamespace
        >>> [CreationRules().makes(called) for called in (SimpleNamespace, object.__new__, int, len)]
        [True, True, False, False]
        """
        kind = type(called)
        if kind is BuiltinFunctionType:  # `super().__new__(cls)`
            return called.__name__ == "__new__" and issubclass(type(called.__self__), type)
        if kind is MethodWrapperType:  # `super().__call__()` of a metaclass
            return called.__name__ == "__call__" and issubclass(type(called.__self__), type)
        return issubclass(kind, type) and self.is_silent(called)

    def is_silent(self, kind: type) -> bool:
        """Return whether calling a class makes an object without a probe in a constructor."""
        known = self._silent.get(id(kind))
        if known is None:
            known = self._silent[id(kind)] = kind, _is_silent(kind) and self.holds_variables(kind)
        return known[1]

    def has_unprobed_constructor(self, kind: type) -> bool:
        """Return whether a class has a constructor that is written in Python and has no probes."""
        known = self._unprobed.get(id(kind))
        if known is None:
            known = self._unprobed[id(kind)] = kind, any(not _is_probed(maker) for maker in _constructors(kind))
        return known[1]

    def has_creation_site(self, obj: object) -> bool:
        """Return whether it matters where an object was made: it is data, or a primitive that no twin stands for yet.

        >>> import threading
        >>> CreationRules().has_creation_site(threading.Lock()), CreationRules().has_creation_site(3)
        (True, False)
        """
        return id(type(obj)) in TWINS or self.holds_variables(type(obj))

    def holds_variables(self, kind: type) -> bool:
        """Return whether objects of a class are data of the program, with attributes that are variables.

        >>> from types import SimpleNamespace
        >>> [CreationRules().holds_variables(kind) for kind in (SimpleNamespace, list, type)]
        [True, False, False]
        """
        known = self._objects.get(id(kind))
        if known is None:
            known = self._objects[id(kind)] = kind, _is_object(kind)
        return known[1]


def _is_silent(kind: type) -> bool:
    if class_attribute(type(kind), "__call__") is not _CALL:
        return False  # a metaclass that is called decides: it makes the object by `super().__call__`, or has it already
    constructors = _constructors(kind)
    if _is_of_program(kind):
        return not any(map(_is_probed, constructors))
    return not constructors  # one in Python may ask who calls it, and must not find us


def _is_probed(function: FunctionType) -> bool:
    return probe.NAME in function.__code__.co_names


def _constructors(kind: type) -> list[FunctionType]:
    """Return the constructors of a class that are written in Python."""
    new: Any = class_attribute(kind, "__new__")
    makers = (new.__func__ if type(new) is staticmethod else new, class_attribute(kind, "__init__"))
    return [maker for maker in makers if type(maker) is FunctionType]


def _is_object(kind: type) -> bool:
    if issubclass(kind, type) or module_of(kind) in _NO_DATA:
        return False
    return _is_of_program(kind) or dict_offset_of(kind) != 0


def _is_of_program(kind: type) -> bool:
    return probe.NAME in own_fields(sys.modules.get(module_of(kind)))
