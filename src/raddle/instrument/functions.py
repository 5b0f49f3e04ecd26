"""Finds the live functions in the process without inspecting all objects every time.

The first search inspects all objects. Later searches inspect only new objects (see `new_objects`). That is enough,
because the globals and the file of a function never change. Functions that have been found are remembered through weak
references.
"""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from types import FunctionType, ModuleType
from typing import Any

from raddle.instrument.new_objects import NewObjects

_References = dict["weakref.ref[FunctionType]", None]  # used as an ordered set


class _Members:
    """The functions of one module: those from its file and those whose globals are its namespace."""

    __slots__ = ("file", "functions", "module", "namespace")

    def __init__(self, module: ModuleType) -> None:
        self.module = _reference(module)
        self.file = _file(module)
        self.namespace = id(module.__dict__)
        self.functions: _References = {}

    def are_of(self, module: ModuleType) -> bool:
        return self.module() is module and self.file == _file(module) and self.namespace == id(module.__dict__)


class LiveFunctions:
    """Finds the functions of selected modules, and the functions whose default arguments include certain objects."""

    def __init__(self, new_objects: NewObjects | None = None) -> None:
        self._new_objects = new_objects or NewObjects()
        self._files: set[str] = set()  # files of all functions seen so far
        self._members: dict[int, _Members] = {}  # by module id
        self._values: frozenset[int] | None = None  # ids to look for in default arguments; None if there are none
        self._with_value: _References = {}

    def of(self, modules: Sequence[ModuleType], *, values: Collection[int] = ()) -> list[FunctionType]:
        """Return the functions of these modules. `values` holds the ids of objects to look for in default arguments.

        The caller must keep these objects alive. An object whose id was not passed to the previous call must have been
        created after that call.
        """
        listing = self._new_objects.list_objects()
        if listing.complete or (values and self._values is None) or not self._are_known(modules, listing.objects):
            if not listing.complete:
                self._new_objects.forget()
                listing = self._new_objects.list_objects()
            self._files, self._members, self._with_value = set(), {}, {}
        self._values = frozenset(values) if values else None
        for module in modules:
            self._members.setdefault(id(module), _Members(module))
        self._add(listing.objects)
        return list(_alive([self._members[id(module)].functions for module in modules]))

    def with_values(self) -> list[FunctionType]:
        """Return the functions that had one of the `values` as a default argument when they were found."""
        return list(_alive([self._with_value]))

    def freeze(self) -> None:
        """Call `gc.freeze()` and keep track of which objects are new."""
        self._add(self._new_objects.young())
        self._new_objects.freeze()

    def unfreeze(self) -> None:
        """Call `gc.unfreeze()` and keep track of which objects are new."""
        self._new_objects.unfreeze()

    def _are_known(self, modules: Iterable[ModuleType], new: Sequence[Any]) -> bool:
        """Forget garbage-collected modules, and return whether all functions of these modules are remembered or new."""
        self._members = {key: members for key, members in self._members.items() if members.module() is not None}
        unknown = [module for module in modules if id(module) not in self._members]
        if any(not self._members[id(module)].are_of(module) for module in modules if id(module) in self._members):
            return False
        if unknown:  # all functions of a module that was imported since the last search are new
            created = set(map(id, new))
            return all(id(module.__dict__) in created and _file(module) not in self._files for module in unknown)
        return True

    def _add(self, objects: Iterable[Any]) -> None:
        by_file: dict[str, list[_References]] = defaultdict(list)
        by_namespace: dict[int, list[_References]] = defaultdict(list)
        for members in self._members.values():
            by_namespace[members.namespace].append(members.functions)
            if members.file:
                by_file[members.file].append(members.functions)
        functions = [one for one in objects if type(one) is FunctionType]
        for function in functions:
            file, namespace = function.__code__.co_filename, id(function.__globals__)
            if file in by_file or namespace in by_namespace:
                for found in (*by_file.get(file, ()), *by_namespace.get(namespace, ())):
                    found[weakref.ref(function)] = None
        self._files.update([function.__code__.co_filename for function in functions])
        if self._values:
            self._add_with_values(functions, self._values)

    def _add_with_values(self, functions: Iterable[FunctionType], values: frozenset[int]) -> None:
        for function in functions:  # must be fast: there are tens of thousands of functions, and hardly any match
            given, named = function.__defaults__, function.__kwdefaults__
            if (given and not values.isdisjoint(map(id, given))) or (
                named and not values.isdisjoint(map(id, named.values()))
            ):
                self._with_value[weakref.ref(function)] = None


def _alive(references: Iterable[_References]) -> Iterable[FunctionType]:
    """Return each live function once, and drop references to garbage-collected ones."""
    found: dict[int, FunctionType] = {}
    for some in references:
        dead = []
        for reference in some:
            function = reference()
            if function is None:
                dead.append(reference)
            else:
                found[id(function)] = function
        for reference in dead:
            del some[reference]
    return found.values()


def _reference(module: ModuleType) -> Callable[[], ModuleType | None]:
    try:
        return weakref.ref(module)
    except TypeError:  # an object that only pretends to be a module; it is not remembered
        return lambda: None


def _file(module: ModuleType) -> str | None:
    file = getattr(module, "__file__", None)
    return file if isinstance(file, str) else None
