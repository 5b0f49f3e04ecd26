"""Restores the state of modules and classes, so that every execution starts from the same state.

A registry in a class attribute or a singleton in a module would otherwise make executions depend on earlier ones.
The snapshot contains the bindings of modules and classes, the contents of the built-in containers that can be reached
from them, and the attributes of reachable objects whose classes belong to these modules. No user code runs while a
snapshot is taken or restored.
"""

from __future__ import annotations

import copy
import functools
import itertools
import operator
import sys
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary, WeakSet, WeakValueDictionary, ref

from raddle import probe
from raddle.inspection import MISSING, dict_offset_of, fields_of, module_of, own_fields

MAX_OBJECTS = 5_000  # maximum number of objects in a snapshot
_MAPPINGS = (dict, OrderedDict, defaultdict)
_LISTS = (list, deque)
_WEAK = (WeakKeyDictionary, WeakSet, WeakValueDictionary)
_IGNORED = frozenset(
    {probe.NAME, "__builtins__", "__warningregistry__", "__abstractmethods__", "_abc_impl", "__annotations__"}
)
_COUNTER = type(itertools.count())
_CACHED = type(functools.lru_cache(len))


@dataclass(frozen=True, slots=True)
class _Items:
    """The keys and values of a mapping, in their order. Comparing them takes far less time than looking up each key."""

    keys: tuple[Any, ...]
    values: tuple[Any, ...]

    @classmethod
    def of(cls, mapping: Mapping[Any, Any]) -> _Items:
        return cls(tuple(mapping), tuple(mapping.values()))

    def are_those_of(self, mapping: Mapping[Any, Any]) -> bool:
        """Return whether a mapping has the same objects as keys and values, in the same order."""
        return (
            len(mapping) == len(self.keys)
            and all(map(operator.is_, mapping, self.keys))
            and all(map(operator.is_, mapping.values(), self.values))
        )


class ModuleState:
    """A snapshot of the state of some modules.

    >>> module = ModuleType("registry")
    >>> module.names = ["a"]
    >>> state = ModuleState([module])
    >>> module.names.append("b"); module.size = 2
    >>> state.restore()
    >>> module.names, hasattr(module, "size")
    (['a'], False)
    """

    def __init__(self, modules: Iterable[ModuleType]) -> None:
        modules = list(modules)
        self._names = frozenset(module.__name__ for module in modules)
        self._restorers: list[Callable[[], None]] = []
        self._seen: dict[int, object] = {}
        self._pending: deque[object] = deque()
        for module in modules:
            self._save_dict(module.__dict__)
        while self._pending and len(self._seen) < MAX_OBJECTS:
            self._save(self._pending.popleft())
        self._pending.clear()

    @property
    def ids(self) -> Set[int]:
        """The ids of the objects that can be reached from the modules, which the snapshot keeps alive."""
        return self._seen.keys()

    def restore(self) -> None:
        """Restore the state of the snapshot."""
        for restore in self._restorers:
            restore()

    def _save(self, value: Any) -> None:
        if id(value) in self._seen:
            return
        self._seen[id(value)] = value
        kind = type(value)
        if kind in _MAPPINGS:
            self._save_dict(value)
        elif kind in _LISTS:
            self._restorers.append(functools.partial(_restore_list, value, list(value)))
            self._pending.extend(value)
        elif kind is set:
            self._restorers.append(functools.partial(_restore_set, value, frozenset(value)))
            self._pending.extend(value)
        elif kind in _WEAK:  # what an earlier execution has added can still be alive
            self._restorers.append(functools.partial(_restore_weak, value.data, copy.copy(value.data)))
        elif kind in (tuple, frozenset):
            self._pending.extend(value)
        elif kind is _CACHED:
            self._restorers.append(value.cache_clear)
        elif issubclass(kind, type):  # `isinstance` would believe a weak proxy of a class
            if module_of(value) in self._names:
                self._save_class(value)
        elif module_of(kind) in self._names and dict_offset_of(kind) and not issubclass(kind, ModuleType):
            self._save_dict(own_fields(value))  # type: ignore[arg-type]

    def _save_dict(self, saved: dict[Any, Any]) -> None:
        items = {key: value for key, value in saved.items() if not (type(key) is str and key in _IGNORED)}
        counters = {key: copy.copy(value) for key, value in items.items() if type(value) is _COUNTER}
        self._restorers.append(functools.partial(_restore_dict, saved, items, counters, _Items.of(saved)))
        self._pending.extend(items.values())

    def _save_class(self, cls: type) -> None:
        items = {name: value for name, value in fields_of(cls).items() if name not in _IGNORED}
        counters = {name: copy.copy(value) for name, value in items.items() if type(value) is _COUNTER}
        self._restorers.append(functools.partial(_restore_class, cls, items, counters, _Items.of(fields_of(cls))))
        self._pending.extend(items.values())


def _restore_dict(saved: dict[Any, Any], items: dict[Any, Any], counters: dict[Any, Any], before: _Items) -> None:
    for key, counter in counters.items():
        saved[key] = items[key] = copy.copy(counter)
    if before.are_those_of(saved):
        return
    if len(saved) == len(before.keys) and all(saved.get(key, MISSING) is value for key, value in items.items()):
        return
    ignored = {key: saved[key] for key in _IGNORED if key in saved}
    saved.clear()
    saved.update(items)
    saved.update(ignored)


def _restore_list(saved: Any, items: list[Any]) -> None:
    if len(saved) != len(items) or not all(map(operator.is_, saved, items)):
        saved.clear()
        saved.extend(items)


def _restore_set(saved: set[Any], items: frozenset[Any]) -> None:
    if len(saved) != len(items) or set(map(id, saved)) != set(map(id, items)):
        saved.clear()
        saved.update(items)


def _restore_weak(saved: Any, items: Any) -> None:
    """Restore the data of a weak container, without references to objects that have died since."""
    if type(items) is set:
        restored: Any = {one for one in items if one() is not None}
    else:
        restored = {
            key: value
            for key, value in items.items()
            if not any(isinstance(one, ref) and one() is None for one in (key, value))
        }
    if len(saved) != len(restored) or saved != restored:
        saved.clear()
        saved.update(restored)


def _restore_class(cls: type, items: dict[str, Any], counters: dict[str, Any], before: _Items) -> None:
    for name, counter in counters.items():
        items[name] = copy.copy(counter)
        type.__setattr__(cls, name, items[name])
    fields = fields_of(cls)
    if before.are_those_of(fields):
        return
    for name in [name for name in fields if name not in items and name not in _IGNORED]:
        type.__delattr__(cls, name)
    for name, value in items.items():
        if fields.get(name) is not value:
            type.__setattr__(cls, name, value)


def modules_of_package(cls: type) -> list[ModuleType]:
    """Return the loaded modules of the package that defines a class, beginning with the class's own module.

    >>> [module.__name__ for module in modules_of_package(ModuleState)][0]
    'raddle.generation.module_state'
    """
    own = module_of(cls)
    package = own.partition(".")[0]
    names = [own, *sorted(name for name in sys.modules if name != own and name.partition(".")[0] == package)]
    return [module for name in names if isinstance(module := sys.modules.get(name), ModuleType)]
