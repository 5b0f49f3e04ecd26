"""The static model: which sites can touch which variables, which methods and blocks there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field

from raddle.site import INDEX_BITS

_PUBLIC_DUNDERS = frozenset({
    "__getitem__", "__setitem__", "__delitem__", "__contains__", "__len__", "__iter__", "__call__",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Accesses:
    """The sites that can touch one variable."""

    reads: frozenset[int] = frozenset()
    writes: frozenset[int] = frozenset()
    guessed: frozenset[int] = frozenset()  # those of them whose receiver's class is a guess

    @property
    def known(self) -> frozenset[int]:
        """Those that are no guess."""
        return (self.reads | self.writes) - self.guessed

    def __add__(self, other: Accesses) -> Accesses:
        guessed = (self.guessed | other.guessed) - self.known - other.known
        return Accesses(self.reads | other.reads, self.writes | other.writes, guessed)

    def without(self, sites: frozenset[int]) -> Accesses:
        """All but these."""
        return Accesses(self.reads - sites, self.writes - sites, self.guessed - sites)


VariableName = tuple[str, str]  # owner and name, as in `AbstractVariable`


@dataclass(frozen=True, slots=True)
class StaticModel:
    """What the source says, and what executions added to it.

    >>> one = StaticModel({("m.py:C", "x"): Accesses(reads=frozenset({1}))})
    >>> two = StaticModel({("m.py:C", "x"): Accesses(writes=frozenset({2}))})
    >>> (one + two).variables["m.py:C", "x"]
    Accesses(reads=frozenset({1}), writes=frozenset({2}), guessed=frozenset())
    """

    variables: Mapping[VariableName, Accesses] = field(default_factory=dict)
    methods: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # class -> public method -> enter site
    blocks: frozenset[int] = frozenset()
    # What executions need to name variables as the model does; nobody has to keep it.
    early: frozenset[int] = field(default=frozenset(), compare=False, repr=False)  # sites that run before any sharing
    names: Mapping[int, VariableName] = field(default_factory=dict, compare=False, repr=False)
    declared: Mapping[str, frozenset[str]] = field(
        default_factory=dict, compare=False, repr=False
    )  # class -> attributes

    def __add__(self, other: StaticModel) -> StaticModel:
        """Both; a guess gives way to knowledge about the same site."""
        variables = dict(self.variables)
        for name, accesses in other.variables.items():
            variables[name] = variables[name] + accesses if name in variables else accesses
        known = frozenset().union(*(accesses.known for accesses in variables.values()))
        for name, accesses in list(variables.items()):
            if accesses.guessed & known:
                variables[name] = accesses.without(accesses.guessed & known)
        return StaticModel(
            variables,
            {**self.methods, **other.methods},
            self.blocks | other.blocks,
            self.early | other.early,
            {**self.names, **other.names},
            {**self.declared, **other.declared},
        )

    def of_modules(self, modules: Set[int]) -> StaticModel:
        """Only what the sites of these modules say; a module is the upper part of its sites' numbers.

        >>> model = StaticModel(blocks=frozenset({5 << INDEX_BITS, 6 << INDEX_BITS}))
        >>> model.of_modules({5}).blocks == {5 << INDEX_BITS}
        True
        """

        def inside(sites: Iterable[int]) -> frozenset[int]:
            return frozenset(site for site in sites if site >> INDEX_BITS in modules)

        variables = {
            name: Accesses(inside(accesses.reads), inside(accesses.writes), inside(accesses.guessed))
            for name, accesses in self.variables.items()
        }
        methods = {
            owner: {name: site for name, site in own.items() if inside([site])} for owner, own in self.methods.items()
        }
        return StaticModel(
            {name: accesses for name, accesses in variables.items() if accesses.writes},
            {owner: own for owner, own in methods.items() if own},
            inside(self.blocks),
            self.early,
            self.names,
            self.declared,
        )

    def variable_at(self, site: int) -> VariableName | None:
        """The variable that a site can only mean, by the source: a global, a closure variable, a container."""
        return self.names.get(site)


def is_public(method: str) -> bool:
    """May anybody call it? Operators that stand for a call of a method are counted, too.

    >>> [is_public(name) for name in ("add", "_add", "__getitem__", "__init__")]
    [True, False, True, False]
    """
    return not method.startswith("_") or method in _PUBLIC_DUNDERS


def class_and_method(function: str) -> tuple[str, str] | None:
    """The class that a function's qualified name puts it in, and its own name; None for any other function.

    >>> class_and_method("f.<locals>.Cart.add"), class_and_method("shop.py:Cart.add")
    (('f.<locals>.Cart', 'add'), ('shop.py:Cart', 'add'))
    >>> class_and_method("f.<locals>.g"), class_and_method("shop.py:f")
    (None, None)
    """
    file, colon, qualified = function.rpartition(":")
    around, _, name = qualified.rpartition(".")
    return (file + colon + around, name) if around and not around.endswith("<locals>") else None
