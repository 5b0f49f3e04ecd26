"""Comparable forms of results, which are equal if a caller cannot tell the results apart.

Results of different executions are different objects, so identity cannot be compared directly. Built-in containers are
compared by content, and other objects by their position in the order in which they first appear: if two calls return
the same object in one execution, they must do so in the other. Objects whose class defines `__eq__` are compared with
it.

No user code runs while a form is created, because that would affect the execution. `__eq__` runs only when two forms
are compared.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, defaultdict, deque
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from raddle.inspection import class_attribute

MAX_DEPTH = 6  # containers nested more deeply are not compared
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_SCALARS = (int, bool, bytes, complex, type(None), type(Ellipsis), type(NotImplemented))
_SEQUENCES = (list, tuple, deque, bytearray)
_SETS = (set, frozenset)
_MAPPINGS = (dict, OrderedDict, defaultdict, Counter)
_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
_FUNCTIONS = (FunctionType, BuiltinFunctionType, type, ModuleType)
DIGITS = 2  # reading the virtual clock advances it by a microsecond, so floats are compared with fewer digits


class Comparable:
    """An object whose class defines `__eq__`, compared by calling it."""

    __slots__ = ("value",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Comparable) or type(other.value) is not type(self.value):
            return False
        try:
            return bool(self.value == other.value)
        except Exception:
            return True  # values that cannot be compared cannot be told apart

    def __repr__(self) -> str:
        return f"<{type(self.value).__qualname__}>"


class Forms:
    """Creates the comparable forms of the results of one execution, in a fixed order.

    >>> forms, thing = Forms(), object()
    >>> forms.of([thing, 1.001, thing])
    ('list', ('object', 'object', 1), 1.0, ('object', 'object', 1))
    """

    def __init__(self, shared: object = None) -> None:
        self._numbers: dict[int, int] = {}  # maps the id of an object to its position
        self._kept: list[object] = []  # keeps the objects alive, so that their ids are not reused
        self._shared = shared

    def of(self, value: Any, depth: int = 0) -> Any:
        """Return the comparable form of a value."""
        kind = type(value)
        if kind in _SCALARS:
            return value
        if kind is float:
            return round(value, DIGITS) if value == value else "nan"
        if kind is str:
            return _ADDRESS.sub("0x", value) if "0x" in value else value
        if value is self._shared:
            return "the shared object"
        if depth > MAX_DEPTH:
            return "..."
        if kind in _SEQUENCES or (issubclass(kind, tuple) and class_attribute(kind, "__eq__") is tuple.__eq__):
            return (kind.__name__, *[self.of(item, depth + 1) for item in tuple(value)])
        if kind in _SETS:
            return ("set", _sorted(self.of(item, depth + 1) for item in value))
        if kind in _MAPPINGS:
            return ("dict", _sorted((self.of(key, depth + 1), self.of(value[key], depth + 1)) for key in list(value)))
        if kind in _VIEWS:
            return ("view", *[self.of(item, depth + 1) for item in value])
        if kind in _FUNCTIONS:
            return ("name", str(getattr(value, "__qualname__", getattr(value, "__name__", ""))))
        if kind is MethodType:
            return ("method", value.__func__.__qualname__, self.of(value.__self__, depth + 1))
        if isinstance(value, BaseException):
            return ("exception", qualified_name(kind))
        if class_attribute(kind, "__eq__") is not object.__eq__:
            return Comparable(value)
        return ("object", kind.__qualname__, self._number(value))

    def _number(self, value: object) -> int:
        number = self._numbers.setdefault(id(value), len(self._numbers) + 1)
        if number == len(self._numbers):
            self._kept.append(value)
        return number


def _sorted(forms: Any) -> tuple[Any, ...]:
    """Return the forms in an order that does not depend on hashes."""
    return tuple(sorted(forms, key=repr))


def qualified_name(cls: type) -> str:
    """Return the name of a class with its module, or its bare name if it is a built-in class.

    >>> qualified_name(KeyError), qualified_name(OrderedDict)
    ('KeyError', 'collections.OrderedDict')
    """
    return cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
