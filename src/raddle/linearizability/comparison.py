"""Comparable forms of results, which are equal if a caller cannot tell the results apart.

Results of different executions are different objects, so identity cannot be compared directly. Built-in containers are
compared by content, objects whose class defines `__eq__` with it, and other objects by their position in the order in
which they first appear: if two calls return the same object in one execution, they must do so in the other. The same is
required of mutable values, that is, of those that are not hashable: if one caller changes a list, another caller sees
the change only if it has the same list.

No user code runs while a form is created, because that would affect the execution. `__eq__` runs only when two forms
are compared. Classes are therefore compared by identity: a metaclass can define `__eq__`, and an object can lie about
its `__class__`.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from raddle.inspection import class_attribute, function_name, module_of, qualname_of

MAX_DEPTH = 6  # containers nested more deeply are not compared
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")


def _ids(*classes: type) -> frozenset[int]:
    return frozenset(map(id, classes))


_SCALARS = _ids(int, bool, bytes, complex, type(None), type(Ellipsis), type(NotImplemented))
_SEQUENCES = _ids(list, tuple, deque, bytearray)
_SETS = _ids(set, frozenset)
_MAPPINGS = _ids(dict, OrderedDict, defaultdict, Counter)
_VIEWS = _ids(type({}.keys()), type({}.values()), type({}.items()))
_FUNCTIONS = _ids(FunctionType, BuiltinFunctionType, type, ModuleType)
SHARED_FORM = ("shared",)  # the form of the object that the threads share
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


@dataclass(frozen=True, slots=True)
class Repeated:
    """A mutable value that has appeared before in the same execution."""

    position: int  # of its first appearance among the mutable values
    form: Any


class Unordered:
    """The forms of the items of a set or dictionary, whose order callers cannot rely on.

    >>> Unordered([1, 2]) == Unordered([2, 1]), Unordered([1, 1]) == Unordered([1, 2])
    (True, False)
    """

    __slots__ = ("items",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, items: Iterable[Any]) -> None:
        self.items = tuple(sorted(items, key=repr))  # usually makes equal contents equal tuples, for speed

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Unordered) or len(self.items) != len(other.items):
            return False
        if self.items == other.items:
            return True
        rest = list(other.items)
        for item in self.items:
            if item not in rest:
                return False
            rest.remove(item)
        return True

    def __repr__(self) -> str:
        return f"Unordered({list(self.items)!r})"


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
        self._in_sets = 0  # number of sets around the value
        self._in_mappings = 0  # number of mappings around the value
        self._mutable: dict[int, int] = {}  # maps the id of a mutable value to its position among these

    def of(self, value: Any, depth: int = 0) -> Any:
        """Return the comparable form of a value."""
        kind = type(value)
        number = id(kind)
        if number in _SCALARS:
            return value
        if kind is float:
            return round(value, DIGITS) if value == value else "nan"
        if kind is str:
            return _ADDRESS.sub("0x", value) if "0x" in value else value
        if value is self._shared:
            return SHARED_FORM
        if depth > MAX_DEPTH:
            return "..."
        if class_attribute(kind, "__hash__") is None and (earlier := self._earlier(value)):
            return Repeated(earlier, self._of_compound(value, kind, depth))
        return self._of_compound(value, kind, depth)

    def _of_compound(self, value: Any, kind: type, depth: int) -> Any:
        number = id(kind)
        if number in _SEQUENCES:
            return (kind.__name__, *[self.of(item, depth + 1) for item in value])
        if issubclass(kind, tuple) and class_attribute(kind, "__eq__") is tuple.__eq__:
            return (kind.__name__, *[self.of(item, depth + 1) for item in tuple.__iter__(value)])
        if number in _SETS:
            return ("set", self._of_set(value, depth))
        if number in _MAPPINGS:
            return ("dict", self._of_mapping(value, depth))
        if number in _VIEWS:
            return ("view", *[self.of(item, depth + 1) for item in value])
        if number in _FUNCTIONS:
            return ("name", str(getattr(value, "__qualname__", getattr(value, "__name__", ""))))
        if kind is MethodType:
            return ("method", function_name(value), self.of(value.__self__, depth + 1))
        if issubclass(kind, BaseException):
            return ("exception", qualified_name(kind))
        if class_attribute(kind, "__eq__") is not object.__eq__:
            return Comparable(value)
        return ("object", qualname_of(kind), self._number(value))

    def _of_set(self, value: Any, depth: int) -> Unordered:
        self._in_sets += 1
        forms = Unordered(self.of(item, depth + 1) for item in value)
        self._in_sets -= 1
        return forms

    def _of_mapping(self, value: Any, depth: int) -> Unordered:
        self._in_mappings += 1
        forms = Unordered((self.of(key, depth + 1), self.of(item, depth + 1)) for key, item in value.items())
        self._in_mappings -= 1
        return forms

    def _earlier(self, value: object) -> int:
        """Return the position of a mutable value that appeared before; 0 if this is its first appearance."""
        position = self._mutable.get(id(value), 0)
        if not position and not self._in_mappings:  # callers cannot rely on the order of the items of a mapping
            self._mutable[id(value)] = len(self._mutable) + 1
            self._kept.append(value)
        return position

    def _number(self, value: object) -> int:
        if self._in_sets and id(value) not in self._numbers:
            return 0  # the order in which a set yields its items depends on their addresses
        number = self._numbers.setdefault(id(value), len(self._numbers) + 1)
        if number == len(self._numbers):
            self._kept.append(value)
        return number


def without_identities(form: Any) -> Any:
    """Return a form that does not tell which mutable values are the same object.

    >>> items: list[int] = []
    >>> form = Forms().of((items, items))
    >>> form, without_identities(form)
    (('tuple', ('list',), Repeated(position=1, form=('list',))), ('tuple', ('list',), ('list',)))
    """
    match form:
        case Repeated():
            return without_identities(form.form)
        case Unordered():
            return Unordered(map(without_identities, form.items))
        case tuple():
            return tuple(map(without_identities, form))
    return form


def qualified_name(cls: type) -> str:
    """Return the name of a class with its module, or its bare name if it is a built-in class.

    >>> qualified_name(KeyError), qualified_name(OrderedDict)
    ('KeyError', 'collections.OrderedDict')
    """
    module = module_of(cls)
    return qualname_of(cls) if module == "builtins" else f"{module}.{qualname_of(cls)}"
