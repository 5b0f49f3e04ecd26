"""The variables of modules and classes whose values calls have changed, by name."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from raddle.inspection import fields_of, module_of, own_fields

_DEPTH = 3
_CONTAINERS = (list, set, dict, deque)


class SharedVariables:
    """The values of the variables of some modules and of their classes, to be compared later.

    >>> module = ModuleType("registry")
    >>> module.names = ["a"]
    >>> variables = SharedVariables([module])
    >>> module.names.append("b")
    >>> variables.changed()
    ['registry.names']
    """

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        self._modules = list(modules)
        self._names = frozenset(module.__name__ for module in self._modules)
        self._before = dict(self._values())

    def changed(self) -> list[str]:
        """Return the names of the variables that have changed, sorted."""
        now = dict(self._values())
        return sorted(name for name in self._before.keys() | now.keys() if self._before.get(name) != now.get(name))

    def _values(self) -> Iterator[tuple[str, object]]:
        for module in self._modules:
            for name, value in list(vars(module).items()):
                if name.startswith("__"):
                    continue
                yield f"{module.__name__}.{name}", self._contents(value, _DEPTH)
                if issubclass(type(value), type) and module_of(value) == module.__name__:
                    for attribute, field in list(fields_of(value).items()):
                        if not attribute.startswith("__"):
                            yield f"{module.__name__}.{name}.{attribute}", self._contents(field, _DEPTH)

    def _contents(self, value: Any, depth: int) -> object:
        """Return what tells whether a value has changed. The objects in it are kept alive, so their ids are unique."""
        kind = type(value)
        if kind in (int, str, float, bool, bytes, type(None)):
            return value
        if depth and kind in _CONTAINERS:
            items = list(value.items()) if kind is dict else list(value)
            return kind, tuple(self._contents(item, depth - 1) for item in items)
        if depth and kind is tuple:
            return kind, tuple(self._contents(item, depth - 1) for item in value)
        fields = own_fields(value) if module_of(kind) in self._names and not issubclass(kind, type) else None
        if depth and isinstance(fields, dict):
            return kind, tuple((name, self._contents(field, depth - 1)) for name, field in list(fields.items()))
        return _Same(value)


class _Same:
    """An object that equals only another wrapper of the same object."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self._value is other._value

    __hash__ = None  # type: ignore[assignment]
