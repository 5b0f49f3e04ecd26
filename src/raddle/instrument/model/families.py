"""Classes of several modules, joined by inheritance: who declares an attribute, who has which methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from raddle.instrument.model.census import Census, ClassCensus
from raddle.instrument.model.index import module_name
from raddle.instrument.model.receivers import OF_CLASS, OF_IMPORT, Holder

_LOCALS = frozenset(Holder(OF_IMPORT, name) for name in ("threading.local", "_thread.local", "_threading_local.local"))


class Families:
    """The classes of all modules surveyed, by owner: "shop/cart.py:Cart"."""

    def __init__(self, censuses: Sequence[Census]) -> None:
        self._modules = {module_name(census.file): census for census in censuses}
        self.classes: dict[str, ClassCensus] = {
            f"{census.file}:{name}": found for census in censuses for name, found in census.classes.items()
        }
        self._lines: dict[str, tuple[str, ...]] = {}

    # -- inheritance --------------------------------------------------------------------------------

    def line(self, owner: str) -> tuple[str, ...]:
        """The class and those it inherits from, as far as they were surveyed, in the order of look-up.

        Depth first, each at its last place: what Python's own order gives wherever base classes do not cross.
        """
        if owner not in self._lines:
            self._lines[owner] = (owner,)  # a circle, which no running program has, ends here
            variadic = [owner, *(above for base in self._parents[owner] for above in self.line(base))]
            last = {above: place for place, above in enumerate(variadic)}
            self._lines[owner] = tuple(sorted(last, key=lambda above: last[above]))
        return self._lines[owner]

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
    def _heirs(self) -> Mapping[str, list[str]]:
        heirs: dict[str, list[str]] = {owner: [] for owner in self.classes}
        for owner in self.classes:
            for above in self.line(owner)[1:]:
                heirs[above].append(owner)
        return heirs

    def knows(self, path: str) -> bool:
        """Is what a dotted name means in a module that was surveyed?"""
        return bool(self._split(path)[0])

    def imported(self, path: str) -> str | None:
        """The class or module that a dotted name means: "shop/cart.py:Cart", "shop/cart.py"; None if unknown."""
        for _ in range(len(self._modules) + 1):  # re-exports may go round in a circle
            module, rest = self._split(path)
            census = self._modules.get(module)
            if census is None:
                return None
            if not rest:
                return census.file
            if rest in census.classes:
                return f"{census.file}:{rest}"
            first, _, more = rest.partition(".")
            if first not in census.imports:
                return None
            path = ".".join(filter(None, (census.imports[first], more)))
        return None

    def _split(self, path: str) -> tuple[str, str]:
        """The module in a dotted name, and what is meant in there."""
        module, rest = path, ""
        while module and module not in self._modules:
            module, _, last = module.rpartition(".")
            rest = f"{last}.{rest}" if rest else last
        return module, rest

    # -- attributes ---------------------------------------------------------------------------------

    def owners(self, owner: str, name: str) -> frozenset[str]:
        """Whose variable an attribute can be that the class's own code calls its object's.

        That of the base-most class that sets it; if none does, of any subclass that does.
        """
        if owner not in self.classes or self._is_code(owner, name):
            return frozenset()
        declaring = self.declaring(owner, name)
        if declaring is not None:
            return frozenset({declaring})
        below = (self.declaring(heir, name) for heir in self._heirs[owner] if not self._is_code(heir, name))
        return frozenset(found for found in below if found is not None)

    def declaring(self, owner: str, name: str) -> str | None:
        """The base-most class in its line that sets the attribute."""
        for above in reversed(self.line(owner)):
            if name in self.classes[above].attributes:
                return above
        return None

    @cached_property
    def only_owners(self) -> Mapping[str, str]:
        """Attributes that one class alone declares, and that are code in none."""
        found: dict[str, set[str]] = {}
        code = {name for known in self.classes.values() for name in known.code}
        for owner, known in self.classes.items():
            for name in known.attributes - code:
                found.setdefault(name, set()).add(self.declaring(owner, name) or owner)
        return {name: next(iter(owners)) for name, owners in found.items() if len(owners) == 1}

    @cached_property
    def containers(self) -> frozenset[tuple[str, str]]:
        """Attributes that are given a container, with their owners."""
        return frozenset(
            (self.declaring(owner, name) or owner, name)
            for owner, known in self.classes.items()
            for name in known.containers
        )

    def is_shared(self, owner: str) -> bool:
        """Can two threads see the same attributes of its objects? Not with `threading.local`."""
        return not any(_LOCALS.intersection(self.classes[above].bases) for above in self.line(owner))

    def _is_code(self, owner: str, name: str) -> bool:
        return any(name in self.classes[above].code for above in self.line(owner))

    # -- methods ------------------------------------------------------------------------------------

    def methods(self, owner: str) -> dict[str, int]:
        """Public methods, inherited ones too."""
        found: dict[str, int] = {}
        for above in reversed(self.line(owner)):
            found.update(self.classes[above].methods)
        return dict(sorted(found.items()))
