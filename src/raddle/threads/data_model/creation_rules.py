"""Calls that create objects without entering an instrumented constructor.

An instrumented constructor has probes that report the new object, however the constructor is called. Some classes have
no such constructor: those without any constructor, dataclasses, and those whose constructor comes from C or from a
library. For these classes, the probe of the call reports the new object.
"""

from __future__ import annotations

import sys
from types import BuiltinFunctionType, FunctionType, MethodWrapperType
from typing import Any

from raddle import probe
from raddle.inspection import class_attribute, dict_offset_of, module_of, own_fields
from raddle.threads.twins.adopt import TWINS

# Standard library modules whose objects have a `__dict__` but are not data. Some of their classes inspect the calling
# frame.
_NOT_DATA = frozenset({"builtins", "functools", "typing", "_thread", "threading", "queue", "_queue"})
_CALL = type.__dict__["__call__"]


class CreationRules:
    """Decides which calls create objects, and caches the answers for classes."""

    __slots__ = ("_call_probes", "_holding_variables", "_unprobed_constructors")

    def __init__(self) -> None:
        # Results of the methods below. Each dict maps the id of a class to the class (kept alive) and the result.
        self._call_probes: dict[int, tuple[type, bool]] = {}
        self._holding_variables: dict[int, tuple[type, bool]] = {}
        self._unprobed_constructors: dict[int, tuple[type, bool]] = {}

    def creates_object(self, called: Any) -> bool:
        """Return whether a call creates an object that no probe in a constructor reports.

        >>> from types import SimpleNamespace
        >>> [CreationRules().creates_object(called) for called in (SimpleNamespace, object.__new__, int, len)]
        [True, True, False, False]
        """
        kind = type(called)
        if kind is BuiltinFunctionType:  # `super().__new__(cls)`
            return called.__name__ == "__new__" and issubclass(type(called.__self__), type)
        if kind is MethodWrapperType:  # `super().__call__()` in a metaclass
            return called.__name__ == "__call__" and issubclass(type(called.__self__), type)
        return issubclass(kind, type) and self.needs_call_probe(called)

    def needs_call_probe(self, kind: type) -> bool:
        """Return whether objects of a class hold variables but no probe in a constructor reports their creation."""
        cached = self._call_probes.get(id(kind))
        if cached is None:
            cached = self._call_probes[id(kind)] = kind, _has_no_probed_constructor(kind) and self.holds_variables(kind)
        return cached[1]

    def has_unprobed_constructor(self, kind: type) -> bool:
        """Return whether a class has a constructor that is written in Python but has no probes."""
        cached = self._unprobed_constructors.get(id(kind))
        if cached is None:
            cached = self._unprobed_constructors[id(kind)] = (
                kind,
                any(not _is_probed(one) for one in _constructors(kind)),
            )
        return cached[1]

    def has_creation_site(self, obj: object) -> bool:
        """Return whether to record where an object was created, because it holds variables or is a real primitive.

        >>> import threading
        >>> CreationRules().has_creation_site(threading.Lock()), CreationRules().has_creation_site(3)
        (True, False)
        """
        return id(type(obj)) in TWINS or self.holds_variables(type(obj))

    def holds_variables(self, kind: type) -> bool:
        """Return whether the attributes of a class's objects are variables of the program.

        >>> from types import SimpleNamespace
        >>> [CreationRules().holds_variables(kind) for kind in (SimpleNamespace, list, type)]
        [True, False, False]
        """
        cached = self._holding_variables.get(id(kind))
        if cached is None:
            cached = self._holding_variables[id(kind)] = kind, _holds_variables(kind)
        return cached[1]


def _has_no_probed_constructor(kind: type) -> bool:
    if class_attribute(type(kind), "__call__") is not _CALL:
        return False  # the metaclass's `__call__` calls `super().__call__` or returns an existing object
    constructors = _constructors(kind)
    if _is_instrumented(kind):
        return not any(map(_is_probed, constructors))
    return not constructors  # a constructor in Python may inspect the calling frame, which must not be one of raddle's


def _is_probed(function: FunctionType) -> bool:
    return probe.NAME in function.__code__.co_names


def _constructors(kind: type) -> list[FunctionType]:
    """Return the constructors of a class that are written in Python."""
    new: Any = class_attribute(kind, "__new__")
    candidates = (new.__func__ if type(new) is staticmethod else new, class_attribute(kind, "__init__"))
    return [constructor for constructor in candidates if type(constructor) is FunctionType]


def _holds_variables(kind: type) -> bool:
    if issubclass(kind, type) or module_of(kind) in _NOT_DATA:
        return False
    return _is_instrumented(kind) or dict_offset_of(kind) != 0


def _is_instrumented(kind: type) -> bool:
    return probe.NAME in own_fields(sys.modules.get(module_of(kind)))
