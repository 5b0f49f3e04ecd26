"""Inheritance across modules: determines which class declares an attribute, and which methods a class has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from raddle.instrument.model.census import Census, ClassCensus
from raddle.instrument.model.index import module_name
from raddle.instrument.model.receivers import OF_CLASS, OF_IMPORT, Holder

_THREAD_LOCALS = frozenset(
    Holder(OF_IMPORT, name) for name in ("threading.local", "_thread.local", "_threading_local.local")
)


class Families:
    """The classes of all surveyed modules, by owner name such as "shop/cart.py:Cart"."""

    def __init__(self, censuses: Sequence[Census]) -> None:
        self._modules = {module_name(census.file): census for census in censuses}
        self.classes: dict[str, ClassCensus] = {
            f"{census.file}:{name}": found for census in censuses for name, found in census.classes.items()
        }
        self._lineages: dict[str, tuple[str, ...]] = {}

    # -- inheritance --------------------------------------------------------------------------------

    def lineage(self, owner: str) -> tuple[str, ...]:
        """Return the class and its surveyed base classes in the order of attribute lookup.

        The order is depth-first, and a class that occurs more than once keeps its last position. This is Python's
        method resolution order, except where Python interleaves the base classes of different branches.
        """
        if owner not in self._lineages:
            self._lineages[owner] = (owner,)  # ends the recursion in case of a cycle, which no running program has
            candidates = [owner, *(ancestor for base in self._parents[owner] for ancestor in self.lineage(base))]
            last = {ancestor: place for place, ancestor in enumerate(candidates)}
            self._lineages[owner] = tuple(sorted(last, key=lambda ancestor: last[ancestor]))
        return self._lineages[owner]

    @cached_property
    def _parents(self) -> Mapping[str, list[str]]:
        return {owner: list(self._bases(owner)) for owner in self.classes}

    def _bases(self, owner: str) -> Iterator[str]:
        file = owner.partition(":")[0]
        for holder in self.classes[owner].bases:
            if holder.kind == OF_CLASS:
                yield f"{file}:{holder.name}"
                continue
            found = self.imported(holder.name)
            if found is not None and found in self.classes:
                yield found

    @cached_property
    def _subclasses(self) -> Mapping[str, list[str]]:
        subclasses: dict[str, list[str]] = {owner: [] for owner in self.classes}
        for owner in self.classes:
            for ancestor in self.lineage(owner)[1:]:
                subclasses[ancestor].append(owner)
        return subclasses

    def is_surveyed(self, path: str) -> bool:
        """Return whether a dotted name refers to something in a surveyed module."""
        return bool(self._split(path)[0])

    def imported(self, path: str) -> str | None:
        """Return the class or module that a dotted name refers to; None if it is unknown.

        The result looks like "shop/cart.py:Cart" or "shop/cart.py".
        """
        for _ in range(len(self._modules) + 1):  # re-exports may form a cycle
            module, rest = self._split(path)
            census = self._modules.get(module)
            if census is None:
                return None
            if not rest:
                return census.file
            if rest in census.classes:
                return f"{census.file}:{rest}"
            first, _, remainder = rest.partition(".")
            if first not in census.imports:
                return None
            path = ".".join(filter(None, (census.imports[first], remainder)))
        return None

    def _split(self, path: str) -> tuple[str, str]:
        """Split a dotted name into the name of a surveyed module and the rest."""
        module, rest = path, ""
        while module and module not in self._modules:
            module, _, last = module.rpartition(".")
            rest = f"{last}.{rest}" if rest else last
        return module, rest

    # -- attributes ---------------------------------------------------------------------------------

    def owners(self, owner: str, name: str) -> frozenset[str]:
        """Return the classes that can own the attribute `self.name` in methods of the class `owner`.

        The owner is the topmost class that sets the attribute. If neither `owner` nor a base class sets it, each
        subclass that does is a possible owner.
        """
        if owner not in self.classes or self._is_code(owner, name):
            return frozenset()
        declaring = self.declaring(owner, name)
        if declaring is not None:
            return frozenset({declaring})
        declarers = (
            self.declaring(subclass, name) for subclass in self._subclasses[owner] if not self._is_code(subclass, name)
        )
        return frozenset(found for found in declarers if found is not None)

    def declaring(self, owner: str, name: str) -> str | None:
        """Return the topmost class in the lineage of `owner` that sets the attribute; None if no class does."""
        for ancestor in reversed(self.lineage(owner)):
            if name in self.classes[ancestor].attributes:
                return ancestor
        return None

    @cached_property
    def only_owners(self) -> Mapping[str, str]:
        """The owner of each attribute that exactly one class declares, by attribute name.

        An attribute is left out if any class has a method, property or nested class of the same name.
        """
        found: dict[str, set[str]] = {}
        code = {name for class_census in self.classes.values() for name in class_census.code}
        for owner, class_census in self.classes.items():
            for name in class_census.attributes - code:
                found.setdefault(name, set()).add(self.declaring(owner, name) or owner)
        return {name: next(iter(owners)) for name, owners in found.items() if len(owners) == 1}

    @cached_property
    def containers(self) -> frozenset[tuple[str, str]]:
        """The owner and name of each attribute that is assigned a container."""
        return frozenset(
            (self.declaring(owner, name) or owner, name)
            for owner, class_census in self.classes.items()
            for name in class_census.containers
        )

    def is_shared(self, owner: str) -> bool:
        """Return whether threads can share the attributes of this class: it must not extend `threading.local`."""
        return not any(_THREAD_LOCALS.intersection(self.classes[ancestor].bases) for ancestor in self.lineage(owner))

    def _is_code(self, owner: str, name: str) -> bool:
        return any(name in self.classes[ancestor].code for ancestor in self.lineage(owner))

    # -- methods ------------------------------------------------------------------------------------

    def methods(self, owner: str) -> dict[str, int]:
        """Return the public methods of a class, including inherited ones, with their `enter` sites."""
        found: dict[str, int] = {}
        for ancestor in reversed(self.lineage(owner)):
            found.update(self.classes[ancestor].methods)
        return dict(sorted(found.items()))
