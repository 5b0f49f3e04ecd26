"""The call graph of a class, as its source shows it: which sites a method reaches, including those of callees.

Calls on `self` are resolved with the class under test, so that overridden methods are found. Other calls are resolved
by name, if only one instrumented function has that name. Calls that cannot be resolved are missing; sequential runs
show what they touch (see `raddle.generation.access_model`).
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from raddle.generation.surface import Method, MethodKind
from raddle.inspection import unwrapped
from raddle.instrument.model.owners import sites_in
from raddle.site import SiteTable

_Function = tuple[str, str]  # file and qualified name


class CallGraph:
    """Finds the sites that a method of a class reaches."""

    def __init__(self, cls: type, table: SiteTable) -> None:
        self._cls = cls
        self._table = table
        self._sites: dict[_Function, list[int]] = defaultdict(list)
        self._nested: dict[_Function, set[_Function]] = defaultdict(set)  # functions defined inside a function
        self._by_name: dict[str, set[_Function]] = defaultdict(set)
        for number in table:
            site = table[number]
            self._sites[site.file, site.function].append(number)
        for file, function in self._sites:
            outer, inside, _ = function.partition(".<locals>.")
            if inside:
                self._nested[file, outer].add((file, function))
            else:
                self._by_name[function.rpartition(".")[2]].add((file, function))

    def sites(self, method: Method) -> frozenset[int]:
        """Return the sites of a method, and of all functions that it calls directly or indirectly."""
        waiting = list(self._start(method))
        reached = dict.fromkeys(waiting)
        while waiting:
            for callee in self._callees(waiting.pop()):
                if callee not in reached:
                    reached[callee] = None
                    waiting.append(callee)
        return frozenset(number for function in reached for number in self._sites[function])

    def _start(self, method: Method) -> Iterator[_Function]:
        if method.kind is MethodKind.FUNCTION:
            yield from self._of_object(method.owner.load())
        elif method.kind is MethodKind.CONTEXT and not method.name:
            for name in ("__enter__", "__exit__"):
                yield from self._of_member(name)
        elif method.kind is MethodKind.CONSTRUCTOR and not method.name:
            yield from self._of_member("__init__")
        else:
            yield from self._of_member(method.name)

    def _of_member(self, name: str) -> Iterator[_Function]:
        """Yield the functions behind an attribute of the class: a method, or the accessors of a property."""
        try:
            member = inspect.getattr_static(self._cls, name)
        except AttributeError:
            return
        for function in (member.fget, member.fset, member.fdel) if isinstance(member, property) else (member,):
            yield from self._of_object(function)

    def _of_object(self, function: Any) -> Iterator[_Function]:
        if isinstance(function, (staticmethod, classmethod)):
            function = function.__func__
        for number in sites_in(self._table, unwrapped(function))[:1]:
            yield self._table[number].file, self._table[number].function

    def _callees(self, function: _Function) -> Iterator[_Function]:
        yield from self._nested[function]
        for number in self._sites[function]:
            site = self._table[number]
            receiver, _, name = site.name.rpartition(".")
            if site.kind == "call" and name:
                yield from self._resolved(receiver, name, file=function[0])
            elif site.kind in ("read", "write") and self._is_property(site.name):
                yield from self._of_member(site.name)

    def _is_property(self, name: str) -> bool:
        return isinstance(inspect.getattr_static(self._cls, name, None), property)

    def _resolved(self, receiver: str, name: str, *, file: str) -> Iterator[_Function]:
        own = list(self._of_member(name)) if receiver in ("self", "cls", "super()") else []
        if own:
            yield from own
        elif not receiver and (file, name) in self._sites:
            yield file, name
        elif len(self._by_name[name]) == 1:
            yield from self._by_name[name]
