"""The census of one module: what its source says about its classes and about the variables that its sites access.

A class may inherit from a class in another module, so `raddle.instrument.model.survey` combines many censuses.
"""

from __future__ import annotations

import ast
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from raddle.instrument.model.evidence import READERS, WRITERS
from raddle.instrument.model.index import Index, SiteKey, absolute_imports, viewed_in
from raddle.instrument.model.members import code_in, held_containers, slots_of
from raddle.instrument.model.receivers import OF_CLASS, OF_SCOPE, UNKNOWN, Holder, Receivers
from raddle.instrument.nodes import dotted
from raddle.instrument.rewrite import source_text
from raddle.instrument.scopes import CLASS, COMPREHENSION, FUNCTION, MODULE, Scope, analyze, captures
from raddle.operation import CONTENT
from raddle.site import Site
from raddle.static_model import class_and_method, is_public


class Access(NamedTuple):
    """An access that a site can make to a variable."""

    site: int
    writes: bool
    holder: Holder
    name: str  # "x", or "x[]" for the content of the container in x
    early: bool  # True if no other thread can access the variable yet


@dataclass(frozen=True, slots=True)
class ClassCensus:
    """The bases, attributes and methods of one class, as found in the source."""

    bases: tuple[Holder, ...]
    attributes: frozenset[str]  # attributes set in the class body or by its methods
    containers: frozenset[str]  # attributes that are assigned a container
    code: frozenset[str]  # names of methods, properties and nested classes
    methods: Mapping[str, int]  # maps public methods to their `enter` sites


@dataclass(frozen=True, slots=True)
class Census:
    """The classes, imports, variables and accesses of one module, as found in the source."""

    file: str
    classes: Mapping[str, ClassCensus]  # by the qualified name of the class
    imports: Mapping[str, str]
    containers: frozenset[tuple[str, str]]  # owners and names of variables that are assigned a container
    accesses: tuple[Access, ...]
    blocks: frozenset[int]


def take_census(source: str | bytes, sites: Sequence[Site], *, file: str, base: int) -> Census:
    """Return the census of a module. `base` is the number of the first site.

    >>> sites = [Site("m.py", 2, 19, "write", "x", "Cart.add", switchable=True)]
    >>> take_census("class Cart:\\n    def add(self): self.x = 1", sites, file="m.py", base=70000).accesses
    (Access(site=70000, writes=True, holder=Holder(kind='class', name='Cart'), name='x', early=False),)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the user saw these warnings when the module was imported
        tree = ast.parse(source_text(source))
    return _CensusTaker(tree, file, base).take(sites)


class _CensusTaker:
    def __init__(self, tree: ast.Module, file: str, base: int) -> None:
        self._file, self._base = file, base
        self._index = Index(tree)
        self._scopes = analyze(tree)
        self._all_scopes = list(self._scopes.by_node.values())
        self._by_name: dict[str, list[Scope]] = defaultdict(list)
        for scope in self._all_scopes:
            if scope.kind != COMPREHENSION:  # a comprehension has the qualified name of its enclosing scope
                self._by_name[scope.qualname].append(scope)
        self._imports = absolute_imports(self._index.imports, file)
        classes = {scope.qualname for scope in self._all_scopes if scope.kind == CLASS}
        self._receivers = Receivers(file, classes, self._imports)
        # Maps each captured name of a scope to the position of the first function that captures it.
        self._captured: dict[tuple[Scope, str], tuple[int, int]] = {}
        for _, owner, name, place in captures(self._all_scopes):
            self._captured[owner, name] = min(place, self._captured.get((owner, name), place))
        self._accesses: list[Access] = []
        self._methods: dict[str, dict[str, int]] = defaultdict(dict)
        self._blocks: list[int] = []

    def take(self, sites: Sequence[Site]) -> Census:
        reads: dict[SiteKey, list[int]] = defaultdict(list)
        writes: dict[SiteKey, list[int]] = defaultdict(list)
        for index, site in enumerate(sites):
            if site.kind == "enter":
                self._enter(site, self._base + index)
            elif site.kind == "block":
                self._blocks.append(self._base + index)
            elif site.kind == "call":
                self._call(site, self._base + index)
            elif site.name.endswith(CONTENT):
                self._content(site, self._base + index)
            elif site.kind != "leave":
                (reads if site.kind == "read" else writes)[site.line, site.column, site.name].append(index)
        for key, indexes in reads.items():
            self._attributes(indexes, self._index.read.get(key, ()), sites, writes=False)
        for key, indexes in writes.items():
            self._attributes(indexes, self._index.written.get(key, ()), sites, writes=True)
        containers = frozenset(held_containers(self._all_scopes, self._receivers))
        return Census(
            self._file,
            classes=dict(self._classes(containers)),
            imports=self._imports,
            containers=frozenset((holder.name, held) for holder, held in containers if holder.kind == OF_SCOPE),
            accesses=tuple(sorted(self._accesses, key=lambda access: access.site)),
            blocks=frozenset(self._blocks),
        )

    # -- sites --------------------------------------------------------------------------------------

    def _enter(self, site: Site, number: int) -> None:
        method = class_and_method(site.function)
        if method is not None and is_public(method[1]):
            self._methods[method[0]][method[1]] = number

    def _attributes(
        self, indexes: Sequence[int], nodes: Sequence[ast.Attribute], sites: Sequence[Site], *, writes: bool
    ) -> None:
        """Match the sites at one source position with the attributes at that position.

        The sites are ordered from the inside out, and the attributes from the outside in. If there is one more site
        than attributes, the first site is the name that the expression starts with, such as the first `x` in `x.x`.
        """
        for position, index in enumerate(reversed(indexes)):
            site, number = sites[index], self._base + index
            scope = self._scope(site)
            name = scope.mangled(site.name)
            if position < len(nodes):
                self._attribute(nodes[position].value, name, scope, number, writes=writes)
            elif self._scopes.sharing_owner(scope, name) is not None:
                holder = self._receivers.scope_of(site.name, scope)
                self._accesses.append(Access(number, writes, holder, name, self._is_early(site, name, scope)))

    def _attribute(self, receiver: ast.expr, name: str, scope: Scope, number: int, *, writes: bool) -> None:
        self._add(number, writes, self._receivers.of(receiver, scope), name, dotted(receiver), scope)

    def _call(self, site: Site, number: int) -> None:
        key = (site.line, site.column, site.name)
        if not site.name or key in self._index.guards:
            return
        path, _, method = site.name.rpartition(".")
        if not path:
            if key in self._index.calls:
                self._function(self._index.calls[key], site, number)
            return
        scope = self._scope(site)  # the "method" may be an attribute that holds a callable
        holder = self._receivers.named(path, scope)
        self._add(number, False, holder, scope.mangled(method), path, scope)
        if method in READERS or method in WRITERS:
            self._content_of(path, site, number, writes=method in WRITERS)

    def _function(self, call: ast.Call, site: Site, number: int) -> None:
        """Add the accesses of a builtin to its arguments, as in `len(self.items)` or `getattr(self, "x")`."""
        if site.name.endswith("attr"):
            name = call.args[1] if len(call.args) > 1 else None
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                writes = site.name in ("setattr", "delattr")
                self._attribute(call.args[0], name.value, self._scope(site), number, writes=writes)
        elif site.name != "next":  # `next` changes only its iterator
            for argument in call.args:
                self._content_of(dotted(viewed_in(argument) or argument), site, number, writes=False)

    def _content(self, site: Site, number: int) -> None:
        path = site.name.removesuffix(CONTENT)
        viewed = self._index.views.get((site.line, site.column))
        if not path and site.kind == "read" and viewed is not None:
            path = dotted(viewed)
        self._content_of(path, site, number, writes=site.kind != "read")

    def _content_of(self, path: str, site: Site, number: int, *, writes: bool) -> None:
        if not path:
            return
        scope = self._scope(site)
        before, _, name = path.rpartition(".")
        mangled = scope.mangled(name)
        if before:
            holder = self._receivers.named(before, scope)
            self._add(number, writes, holder, mangled + CONTENT, before, scope)
            return
        owner = scope.owner(mangled)
        # Other names are local variables that no other thread can access.
        if owner.kind == MODULE or (owner, mangled) in self._captured:
            holder, early = self._receivers.scope_of(name, scope), self._is_early(site, mangled, scope)
            self._accesses.append(Access(number, writes, holder, mangled + CONTENT, early))

    def _add(self, number: int, writes: bool, holder: Holder, name: str, path: str, scope: Scope) -> None:
        if not (name.startswith("__") and name.removesuffix(CONTENT).endswith("__")):  # special names are never data
            self._accesses.append(Access(number, writes, holder, name, self._receivers.is_early(holder, path, scope)))

    def _is_early(self, site: Site, name: str, scope: Scope) -> bool:
        """Return whether a name is accessed before threads can share it.

        This is the case at import, and in the function that owns the name, before an inner function can capture it.
        """
        owner = scope.owner(name)
        if owner.kind != FUNCTION:
            return scope.kind in (MODULE, CLASS)
        in_loop = any(binding.in_loop and binding.line == site.line for binding in owner.bindings[name])
        return owner is scope and not in_loop and (site.line, site.column) < self._captured.get((owner, name), (0, 0))

    def _scope(self, site: Site) -> Scope:
        scopes = self._by_name[site.function]
        for scope in scopes if len(scopes) > 1 else ():
            if getattr(scope.node, "lineno", 0) <= site.line <= (getattr(scope.node, "end_lineno", 0) or 0):
                return scope
        return scopes[0]

    # -- classes ------------------------------------------------------------------------------------

    def _classes(self, containers: frozenset[tuple[Holder, str]]) -> Iterator[tuple[str, ClassCensus]]:
        written: dict[str, set[str]] = defaultdict(set)
        for access in self._accesses:
            if access.writes and access.holder.kind == OF_CLASS and not access.name.endswith(CONTENT):
                written[access.holder.name].add(access.name)
        for scope in self._all_scopes:
            if scope.kind == CLASS:
                name, code = scope.qualname, code_in(scope)
                yield (
                    name,
                    ClassCensus(
                        bases=tuple(self._bases(scope)),
                        attributes=frozenset((scope.bindings.keys() | written[name] | slots_of(scope)) - code),
                        containers=frozenset(held for holder, held in containers if holder == Holder(OF_CLASS, name)),
                        code=frozenset(code),
                        methods=self._methods.get(name, {}),
                    ),
                )

    def _bases(self, scope: Scope) -> Iterator[Holder]:
        assert isinstance(scope.node, ast.ClassDef)
        assert scope.parent is not None
        for base in scope.node.bases:
            holder = self._receivers.of(base.value if isinstance(base, ast.Subscript) else base, scope.parent)
            if holder.kind != UNKNOWN:
                yield holder
