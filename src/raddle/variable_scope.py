"""A scope: the variables of a class under test, and the sites at which accesses to them count.

The paper on MAP-coverage measures one class at a time. Its set V consists of the variables that the class declares,
those that it inherits, and those that it dereferences, such as `x.range.lower` for an object `x` of the class. All of
them form pairs with each other. Accesses by the test do not count.

Executions do not record which object refers to which, so every object of a dereferenced class counts as dereferenced.
Pruning facts relate accesses to one object, so patterns across objects are never pruned. Attributes of a class itself,
as opposed to its instances, belong to another object.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from raddle.site import Site, SiteTable
from raddle.static_model import Accesses, StaticModel


@dataclass(frozen=True, slots=True)
class VariableScope:
    """The classes whose variables belong to V, and the sites at which accesses count.

    >>> scope = VariableScope(frozenset({"axis.py:Axis"}), frozenset({"range.py:Range"}), frozenset({70001}))
    >>> scope.across_objects("axis.py:Axis", "range.py:Range"), scope.across_objects("axis.py:Axis", "axis.py:Axis")
    (True, False)
    """

    own: frozenset[str]  # the class under test and its base classes
    dereferenced: frozenset[str]  # classes of other objects that the class under test accesses
    sites: frozenset[int]

    def has(self, owner: str, site: int) -> bool:
        """Return whether an access to a variable of `owner` counts."""
        return site in self.sites and (owner in self.own or owner in self.dereferenced)

    def across_objects(self, one: str, other: str) -> bool:
        """Return whether variables of these two owners form pairs even if they belong to different objects.

        Two objects of the class under test are never paired with each other, and neither are two objects of one
        dereferenced class.
        """
        return one != other and not self.dereferenced.isdisjoint((one, other))

    def restrict(self, model: StaticModel) -> StaticModel:
        """Return the model of the accesses that count, in which all variables in the scope form pairs."""
        variables = {
            (owner, name): Accesses(found.reads & self.sites, found.writes & self.sites, found.guessed & self.sites)
            for (owner, name), found in model.variables.items()
            if owner in self.own or owner in self.dereferenced
        }
        variables = {name: found for name, found in variables.items() if found.writes}
        # Any class will do as the one that has all the variables.
        return StaticModel(variables, bases=dict.fromkeys(sorted(self.own)[:1], self.own | self.dereferenced))


def scope_of(
    cls: str,
    model: StaticModel,
    sites: Mapping[int, Site] | SiteTable,
    *,
    dereferenced: Collection[str] = (),
    called: Collection[str] = (),
) -> VariableScope:
    """Return the scope of a class under test, named as in "shop/cart.py:Cart".

    The class dereferences the classes whose variables its own methods access, according to the model, and the classes
    in `dereferenced`. Accesses count in the methods of all these classes and of their base classes, and in the modules,
    classes and functions in `called`.

    >>> sites = {70001: Site("m.py", 2, 8, "write", "x", "C.set", switchable=True),
    ...          70002: Site("m.py", 9, 4, "read", "x", "test", switchable=True)}
    >>> model = StaticModel({("m.py:C", "x"): Accesses(frozenset({70002}), frozenset({70001}))})
    >>> scope_of("m.py:C", model, sites).sites
    frozenset({70001})
    """
    own = frozenset({cls}) | model.bases.get(cls, frozenset())
    methods = _sites_in(own, sites)
    others = {
        owner
        for (owner, _), accesses in model.variables.items()
        if owner not in own and _is_class(owner, model) and not methods.isdisjoint(accesses.reads | accesses.writes)
    }
    others |= {*dereferenced} - own
    reached = frozenset(others).union(*(model.bases.get(owner, ()) for owner in others)) - own
    return VariableScope(own, reached, methods | _sites_in({*reached, *called}, sites))


def _is_class(owner: str, model: StaticModel) -> bool:
    """Return whether the owner of a variable is a class, not a module or a function."""
    return owner in model.declared or owner in model.methods or owner in model.bases


def _sites_in(names: Collection[str], sites: Mapping[int, Site] | SiteTable) -> frozenset[int]:
    """Return the sites in these modules, classes and functions."""
    return frozenset(number for number in sites if any(_is_in(sites[number], name) for name in names))


def _is_in(site: Site, name: str) -> bool:
    function = f"{site.file}:{site.function}"
    return name in (site.file, function) or function.startswith(f"{name}.")
