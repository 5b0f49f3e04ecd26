"""The static model of the source.

It says which sites can access which variables, and lists all public methods and basic blocks. For message-passing
programs, it holds their parallel control flow graphs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING

from raddle.site import INDEX_BITS

if TYPE_CHECKING:
    from raddle.pcfg.graph import Pcfg

_PUBLIC_DUNDERS = frozenset({
    "__getitem__", "__setitem__", "__delitem__", "__contains__", "__len__", "__iter__", "__call__",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Accesses:
    """The sites that can access one variable."""

    reads: frozenset[int] = frozenset()
    writes: frozenset[int] = frozenset()
    guessed: frozenset[int] = frozenset()  # sites at which the class of the receiver is only guessed

    @property
    def known(self) -> frozenset[int]:
        """The sites that certainly access the variable."""
        return (self.reads | self.writes) - self.guessed

    def __add__(self, other: Accesses) -> Accesses:
        guessed = (self.guessed | other.guessed) - self.known - other.known
        return Accesses(self.reads | other.reads, self.writes | other.writes, guessed)

    def without(self, sites: frozenset[int]) -> Accesses:
        """Return the accesses except for those at these sites."""
        return Accesses(self.reads - sites, self.writes - sites, self.guessed - sites)


VariableName = tuple[str, str]  # owner and name, as in `AbstractVariable`


def relative_name(variable: VariableName, owner: str) -> str:
    """Return the name of a variable as seen from `owner`: it includes the variable's owner only if that is another.

    >>> relative_name(("log.py:Log", "th"), "log.py:Log"), relative_name(("log.py:Base", "th"), "log.py:Log")
    ('th', 'log.py:Base.th')
    """
    return variable[1] if variable[0] == owner else f"{variable[0]}.{variable[1]}"


def variable_named(name: str, owner: str) -> VariableName:
    """Return the variable that a relative name refers to.

    >>> variable_named("th", "log.py:Log"), variable_named("log.py:Base.items[]", "log.py:Log")
    (('log.py:Log', 'th'), ('log.py:Base', 'items[]'))
    """
    other, _, attribute = name.rpartition(".")
    return (other, attribute) if ":" in other else (owner, name)  # the name of every class contains a colon


@dataclass(frozen=True, slots=True)
class StaticModel:
    """The accesses, methods and blocks found in the source, extended by the accesses observed in executions.

    >>> one = StaticModel({("m.py:C", "x"): Accesses(reads=frozenset({1}))})
    >>> two = StaticModel({("m.py:C", "x"): Accesses(writes=frozenset({2}))})
    >>> (one + two).variables["m.py:C", "x"]
    Accesses(reads=frozenset({1}), writes=frozenset({2}), guessed=frozenset())
    """

    variables: Mapping[VariableName, Accesses] = field(default_factory=dict)
    # Maps a class to its public methods and their `enter` sites.
    methods: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    blocks: frozenset[int] = frozenset()  # sites where basic blocks begin
    # Maps a class to all its base classes, direct and indirect. Its objects also have the variables of these classes.
    bases: Mapping[str, frozenset[str]] = field(default_factory=dict)
    graphs: tuple[Pcfg, ...] = ()  # the parallel control flow graphs of message-passing programs
    # The following fields are not stored. With them, executions name variables as the model does.
    # Sites that run before other threads can access the variable.
    early: frozenset[int] = field(default=frozenset(), compare=False, repr=False)
    # Maps a site to the only variable that it can access.
    names: Mapping[int, VariableName] = field(default_factory=dict, compare=False, repr=False)
    # Maps a class to the attributes that it declares.
    declared: Mapping[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)

    def __add__(self, other: StaticModel) -> StaticModel:
        """Merge two models. A guess about a site is dropped if the other model knows the variable."""
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
            _merged(self.bases, other.bases),
            tuple(dict.fromkeys((*self.graphs, *other.graphs))),
            self.early | other.early,
            {**self.names, **other.names},
            {**self.declared, **other.declared},
        )

    def of_modules(self, modules: Set[int]) -> StaticModel:
        """Return the model restricted to these modules, given by the upper bits of their site numbers.

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
            self.bases,
            tuple(graph for graph in self.graphs if inside(graph.modules)),
            self.early,
            self.names,
            self.declared,
        )

    def with_needed_bases(self) -> StaticModel:
        """Return the same model without the bases that no two variables of one object depend on.

        >>> x, y = ("m.py:C", "x"), ("m.py:B", "y")
        >>> model = StaticModel({x: Accesses(), y: Accesses()}, bases={"m.py:C": frozenset({"m.py:B", "m.py:A"})})
        >>> model.with_needed_bases().bases
        {'m.py:C': frozenset({'m.py:B'})}
        """
        owners = {owner for owner, _ in self.variables}
        needed = {cls: bases & owners for cls, bases in self.bases.items() if len(owners & {cls, *bases}) > 1}
        return replace(self, bases=needed)

    def pairs_of_owners(self) -> list[tuple[str, str]]:
        """Return the pairs of classes whose variables occur together in one object, sorted.

        >>> x, y, z = ("m.py:C", "x"), ("m.py:B", "y"), ("m.py:D", "z")
        >>> bases = {"m.py:C": frozenset({"m.py:B"}), "m.py:D": frozenset({"m.py:B"})}
        >>> StaticModel(dict.fromkeys((x, y, z), Accesses()), bases=bases).pairs_of_owners()
        [('m.py:B', 'm.py:C'), ('m.py:B', 'm.py:D')]
        """
        owners = {owner for owner, _ in self.variables}
        return sorted(
            {pair for cls, bases in self.bases.items() for pair in combinations(sorted(owners & {cls, *bases}), 2)}
        )

    @property
    def graph(self) -> Pcfg | None:
        """The parallel control flow graph; None unless the model is that of one message-passing program."""
        return self.graphs[0] if len(self.graphs) == 1 else None

    def variable_at(self, site: int) -> VariableName | None:
        """Return the variable that a site accesses, or None if the site may access several or unknown variables."""
        return self.names.get(site)


def _merged(one: Mapping[str, frozenset[str]], other: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    return {**one, **{cls: one.get(cls, frozenset()) | bases for cls, bases in other.items()}}


def is_public(method: str) -> bool:
    """Return whether a method is public. Some special methods, such as `__getitem__`, count as public.

    >>> [is_public(name) for name in ("add", "_add", "__getitem__", "__init__")]
    [True, False, True, False]
    """
    return not method.startswith("_") or method in _PUBLIC_DUNDERS


def class_and_method(function: str) -> tuple[str, str] | None:
    """Split the qualified name of a method into its class and its own name; return None for other functions.

    >>> class_and_method("f.<locals>.Cart.add"), class_and_method("shop.py:Cart.add")
    (('f.<locals>.Cart', 'add'), ('shop.py:Cart', 'add'))
    >>> class_and_method("f.<locals>.g"), class_and_method("shop.py:f")
    (None, None)
    """
    file, colon, qualified = function.rpartition(":")
    around, _, name = qualified.rpartition(".")
    return (file + colon + around, name) if around and not around.endswith("<locals>") else None
