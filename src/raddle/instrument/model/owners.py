"""What live objects and running functions are called, by the names that the static model has for them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import FunctionType

from raddle.entities import AbstractVariable
from raddle.inspection import fields_of, module_of, mro, own_fields, qualname_of, unwrapped
from raddle.instrument.labels import label, label_of
from raddle.operation import CONTENT
from raddle.site import SiteTable
from raddle.static_model import StaticModel, class_and_method, is_public

MAX_WRAPPERS = 100  # around one function; more are taken for a circle


class _Known:
    """What was found out with one table, as long as nothing is added to it."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.owners: dict[int, tuple[type, str]] = {}  # by id: the class, kept alive, and what it is called
        self.methods: dict[int, str] | None = None
        self.functions: dict[tuple[str, str], list[int]] | None = None  # by file and name: their sites
        self.model = StaticModel()
        self.declaring: dict[tuple[int, str], tuple[type, str]] = {}  # with that model; by id of a class, kept alive


def _known_of(table: SiteTable) -> _Known:
    known = table.memo
    if not isinstance(known, _Known) or known.size != len(table):
        known = table.memo = _Known(len(table))
    return known


def declaring_owner(model: StaticModel, table: SiteTable, cls: type, name: str) -> str:
    """The owner of an attribute of a class or of its objects: the base-most class that is known to set it.

    >>> class Base: ...
    >>> class Cart(Base): ...
    >>> base = declaring_owner(StaticModel(), SiteTable(), Base, "total")
    >>> declaring_owner(StaticModel(declared={base: frozenset({"total"})}), SiteTable(), Cart, "total") == base
    True
    """
    known = _known_of(table)
    if known.model is not model:
        known.model, known.declaring = model, {}
    found = known.declaring.get((id(cls), name))
    if found is None:
        found = known.declaring[id(cls), name] = cls, _find(model, table, cls, name)
    return found[1]


def _find(model: StaticModel, table: SiteTable, cls: type, name: str) -> str:
    attribute = name.removesuffix(CONTENT)
    for kind in reversed(mro(cls)):
        owner = class_owner(table, kind)
        if attribute in model.declared.get(owner, ()) or (owner, name) in model.variables:
            return owner
    return class_owner(table, cls)


def attribute_of(model: StaticModel, table: SiteTable, cls: type, name: str, created: str) -> AbstractVariable:
    """Return the name of an attribute of the objects of a class that were made at one place.

    >>> class Base: ...
    >>> class Cart(Base): ...
    >>> base = class_owner(SiteTable(), Base)
    >>> str(attribute_of(StaticModel(declared={base: frozenset({"total"})}), SiteTable(), Cart, "total", "shop.py:3"))
    'Cart.total'
    """
    owner, own = declaring_owner(model, table, cls, name), class_owner(table, cls)
    return AbstractVariable(owner, created, name, "" if own == owner else own)


def class_owner(table: SiteTable, cls: type) -> str:
    """How variables name a class as their owner.

    >>> class_owner(SiteTable(), list), class_owner(SiteTable(), SiteTable)
    ('list', 'raddle/site.py:SiteTable')
    """
    owners = _known_of(table).owners
    found = owners.get(id(cls))
    if found is None:
        name, is_builtin = qualname_of(cls), module_of(cls) == "builtins"
        found = owners[id(cls)] = cls, name if is_builtin else f"{_file(table, cls)}:{name}"
    return found[1]


def _file(table: SiteTable, cls: type) -> str:
    instrumented = set(table.paths().values())
    for function in fields_of(cls).values():  # its methods know best: each cell of a notebook is a file
        if type(function) is FunctionType and function.__code__.co_filename in instrumented:
            return table.label(function.__code__.co_filename)
    module = sys.modules.get(module_of(cls))
    if module is None:
        return label(module_of(cls), None)
    path = own_fields(module).get("__file__")
    return table.label(path) if path in instrumented else label_of(module, table.root)


def sites_in(table: SiteTable, function: object) -> Sequence[int]:
    """The sites in the body of a function, whatever it is wrapped in; none where it has no probes.

    >>> from raddle.site import Site
    >>> table = SiteTable()
    >>> table.add(1 << 16, (Site("m.py", 2, 4, "read", "n", "f", switchable=True),), file="m.py", path="/home/me/m.py")
    >>> sites_in(table, len)
    ()
    """
    function = unwrapped(function)
    for _ in range(MAX_WRAPPERS):
        if "__wrapped__" not in own_fields(function):
            break
        function = unwrapped(own_fields(function)["__wrapped__"])
    if type(function) is not FunctionType:
        return ()
    known = _known_of(table)
    if known.functions is None:
        known.functions = {}
        for number in table:
            known.functions.setdefault((table[number].file, table[number].function), []).append(number)
    return known.functions.get((table.label(function.__code__.co_filename), function.__qualname__), ())


def method_sites(table: SiteTable) -> dict[int, str]:
    """Where public methods are entered and left, and what they are called, as `Entities.functions` has them.

    >>> from raddle.site import Site
    >>> table = SiteTable()
    >>> sites = tuple(Site("m.py", 2, 4, "enter", "", name, switchable=True) for name in ("Cart.add", "f"))
    >>> table.add(1 << 16, sites, file="m.py", path="/home/me/m.py")
    >>> method_sites(table)
    {65536: 'm.py:Cart.add'}
    """
    known = _known_of(table)
    if known.methods is None:
        known.methods = {}
        for number in table:
            site = table[number]
            if site.kind in ("enter", "leave"):
                method = class_and_method(site.function)
                if method is not None and is_public(method[1]):
                    known.methods[number] = f"{site.file}:{site.function}"
    return known.methods
