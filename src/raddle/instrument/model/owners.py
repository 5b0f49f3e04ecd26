"""Maps live classes and functions to the names that the static model uses for them."""

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

MAX_WRAPPERS = 100  # maximum number of wrappers around one function; more are assumed to be a cycle


class _TableMemo:
    """Results cached for a site table until more sites are added to the table."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.owners: dict[int, tuple[type, str]] = {}  # by class id: the class, to keep it alive, and its owner name
        self.methods: dict[int, str] | None = None
        self.functions: dict[tuple[str, str], list[int]] | None = None  # maps file and qualified name to the sites
        self.model = StaticModel()
        self.declaring: dict[tuple[int, str], tuple[type, str]] = {}  # by class id and attribute; keeps the class alive


def _memo_of(table: SiteTable) -> _TableMemo:
    memo = table.memo
    if not isinstance(memo, _TableMemo) or memo.size != len(table):
        memo = table.memo = _TableMemo(len(table))
    return memo


def declaring_owner(model: StaticModel, table: SiteTable, cls: type, name: str) -> str:
    """Return the owner of an attribute of a class or its objects: the topmost class known to set the attribute.

    >>> class Base: ...
    >>> class Cart(Base): ...
    >>> base = declaring_owner(StaticModel(), SiteTable(), Base, "total")
    >>> declaring_owner(StaticModel(declared={base: frozenset({"total"})}), SiteTable(), Cart, "total") == base
    True
    """
    memo = _memo_of(table)
    if memo.model is not model:
        memo.model, memo.declaring = model, {}
    found = memo.declaring.get((id(cls), name))
    if found is None:
        found = memo.declaring[id(cls), name] = cls, _find_declaring(model, table, cls, name)
    return found[1]


def _find_declaring(model: StaticModel, table: SiteTable, cls: type, name: str) -> str:
    attribute = name.removesuffix(CONTENT)
    for kind in reversed(mro(cls)):
        owner = class_owner(table, kind)
        if attribute in model.declared.get(owner, ()) or (owner, name) in model.variables:
            return owner
    return class_owner(table, cls)


def attribute_of(model: StaticModel, table: SiteTable, cls: type, name: str, created: str) -> AbstractVariable:
    """Return the abstract variable that represents an attribute of all objects of a class created at the same place.

    >>> class Base: ...
    >>> class Cart(Base): ...
    >>> base = class_owner(SiteTable(), Base)
    >>> str(attribute_of(StaticModel(declared={base: frozenset({"total"})}), SiteTable(), Cart, "total", "shop.py:3"))
    'Cart.total'
    """
    owner, own = declaring_owner(model, table, cls, name), class_owner(table, cls)
    return AbstractVariable(owner, created, name, "" if own == owner else own)


def class_owner(table: SiteTable, cls: type) -> str:
    """Return the name that identifies a class as the owner of variables.

    >>> class_owner(SiteTable(), list), class_owner(SiteTable(), SiteTable)
    ('list', 'raddle/site.py:SiteTable')
    """
    owners = _memo_of(table).owners
    found = owners.get(id(cls))
    if found is None:
        name, is_builtin = qualname_of(cls), module_of(cls) == "builtins"
        found = owners[id(cls)] = cls, name if is_builtin else f"{_file(table, cls)}:{name}"
    return found[1]


def _file(table: SiteTable, cls: type) -> str:
    instrumented = set(table.paths().values())
    for function in fields_of(cls).values():  # only methods name the exact file of a class defined in a notebook cell
        if type(function) is FunctionType and function.__code__.co_filename in instrumented:
            return table.label(function.__code__.co_filename)
    module = sys.modules.get(module_of(cls))
    if module is None:
        return label(module_of(cls), None)
    path = own_fields(module).get("__file__")
    return table.label(path) if path in instrumented else label_of(module, table.root)


def sites_in(table: SiteTable, function: object) -> Sequence[int]:
    """Unwrap a function and return the sites in its body; empty if it has no probes.

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
    memo = _memo_of(table)
    if memo.functions is None:
        memo.functions = {}
        for number in table:
            memo.functions.setdefault((table[number].file, table[number].function), []).append(number)
    return memo.functions.get((table.label(function.__code__.co_filename), function.__qualname__), ())


def method_sites(table: SiteTable) -> dict[int, str]:
    """Map the `enter` and `leave` sites of public methods to the names of the methods, as in `Entities.functions`.

    >>> from raddle.site import Site
    >>> table = SiteTable()
    >>> sites = tuple(Site("m.py", 2, 4, "enter", "", name, switchable=True) for name in ("Cart.add", "f"))
    >>> table.add(1 << 16, sites, file="m.py", path="/home/me/m.py")
    >>> method_sites(table)
    {65536: 'm.py:Cart.add'}
    """
    memo = _memo_of(table)
    if memo.methods is None:
        memo.methods = {}
        for number in table:
            site = table[number]
            if site.kind in ("enter", "leave"):
                method = class_and_method(site.function)
                if method is not None and is_public(method[1]):
                    memo.methods[number] = f"{site.file}:{site.function}"
    return memo.methods
