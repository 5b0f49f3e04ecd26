"""A census: what the source of one module says about its classes, and about which site touches what.

It is a value of its own, since a class may inherit from another module's: `raddle.instrument.model.survey` joins many.
"""

from __future__ import annotations

import ast
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from raddle.instrument.model.evidence import READERS, WRITERS
from raddle.instrument.model.index import Index, Spot, absolute_imports, viewed_in
from raddle.instrument.model.members import code_in, held_containers, slots_of
from raddle.instrument.model.receivers import OF_CLASS, OF_SCOPE, UNKNOWN, Holder, Receivers
from raddle.instrument.nodes import dotted
from raddle.instrument.rewrite import source_text
from raddle.instrument.scopes import CLASS, COMPREHENSION, FUNCTION, MODULE, Scope, analyze, captures
from raddle.operation import CONTENT
from raddle.site import Site
from raddle.static_model import class_and_method, is_public


class Access(NamedTuple):
    """A site that can touch a variable."""

    site: int
    writes: bool
    holder: Holder
    name: str  # "x", or "x[]" for the content of what it holds
    early: bool  # before any other thread can know the variable


@dataclass(frozen=True, slots=True)
class ClassCensus:
    """What the source says about one class."""

    bases: tuple[Holder, ...]
    attributes: frozenset[str]  # set in its body or by its methods
    containers: frozenset[str]  # those of them that are given a container
    code: frozenset[str]  # methods, properties, classes in it
    methods: Mapping[str, int]  # public -> enter site


@dataclass(frozen=True, slots=True)
class Census:
    """What the source says about one module."""

    file: str
    classes: Mapping[str, ClassCensus]  # by qualified name
    imports: Mapping[str, str]
    containers: frozenset[tuple[str, str]]  # names that are given a container, with their owners
    accesses: tuple[Access, ...]
    blocks: frozenset[int]


def take_census(source: str | bytes, sites: Sequence[Site], *, file: str, base: int) -> Census:
    """From a module's source and its sites, of which the first has the number `base`.

    >>> sites = [Site("m.py", 2, 19, "write", "x", "Cart.add", switchable=True)]
    >>> take_census("class Cart:\\n    def add(self): self.x = 1", sites, file="m.py", base=70000).accesses
    (Access(site=70000, writes=True, holder=Holder(kind='class', name='Cart'), name='x', early=False),)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the compiler has told
        tree = ast.parse(source_text(source))
    return _Taker(tree, file, base).take(sites)


class _Taker:
    def __init__(self, tree: ast.Module, file: str, base: int) -> None:
        self._file, self._base = file, base
        self._index = Index(tree)
        self._scopes = analyze(tree)
        self._all = list(self._scopes.by_node.values())
        self._by_name: dict[str, list[Scope]] = defaultdict(list)
        for scope in self._all:
            if scope.kind != COMPREHENSION:  # goes by the name of the scope around it
                self._by_name[scope.qualname].append(scope)
        self._imports = absolute_imports(self._index.imports, file)
        classes = {scope.qualname for scope in self._all if scope.kind == CLASS}
        self._receivers = Receivers(file, classes, self._imports)
        self._captured: dict[tuple[Scope, str], tuple[int, int]] = {}  # where the first function that does is made
        for _, owner, name, place in captures(self._all):
            self._captured[owner, name] = min(place, self._captured.get((owner, name), place))
        self._accesses: list[Access] = []
        self._methods: dict[str, dict[str, int]] = defaultdict(dict)
        self._blocks: list[int] = []

    def take(self, sites: Sequence[Site]) -> Census:
        reads: dict[Spot, list[int]] = defaultdict(list)
        writes: dict[Spot, list[int]] = defaultdict(list)
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
        for spot, indexes in reads.items():
            self._attributes(indexes, self._index.read.get(spot, ()), sites, writes=False)
        for spot, indexes in writes.items():
            self._attributes(indexes, self._index.written.get(spot, ()), sites, writes=True)
        containers = frozenset(held_containers(self._all, self._receivers))
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
        """Sites at one place, from the inside out, and attributes there, from the outside in.

        If there are more sites, the first is the name that all starts with: `x` in `x.x`.
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
        spot = (site.line, site.column, site.name)
        if not site.name or spot in self._index.guards:
            return
        path, _, method = site.name.rpartition(".")
        if not path:
            if spot in self._index.calls:
                self._function(self._index.calls[spot], site, number)
            return
        scope = self._scope(site)  # the method may be an attribute that holds something to call
        holder = self._receivers.named(path, scope)
        self._add(number, False, holder, scope.mangled(method), path, scope)
        if method in READERS or method in WRITERS:
            self._content_of(path, site, number, writes=method in WRITERS)

    def _function(self, call: ast.Call, site: Site, number: int) -> None:
        """`len(self.items)`, `getattr(self, "x")`: the site of the function is where its argument is looked into."""
        if site.name.endswith("attr"):
            name = call.args[1] if len(call.args) > 1 else None
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                writes = site.name in ("setattr", "delattr")
                self._attribute(call.args[0], name.value, self._scope(site), number, writes=writes)
        elif site.name != "next":  # that writes, but to an iterator
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
        if owner.kind == MODULE or (owner, mangled) in self._captured:  # else a local of one call
            holder, early = self._receivers.scope_of(name, scope), self._is_early(site, mangled, scope)
            self._accesses.append(Access(number, writes, holder, mangled + CONTENT, early))

    def _add(self, number: int, writes: bool, holder: Holder, name: str, path: str, scope: Scope) -> None:
        if not (name.startswith("__") and name.removesuffix(CONTENT).endswith("__")):  # of Python's own, never data
            self._accesses.append(Access(number, writes, holder, name, self._receivers.is_early(holder, path, scope)))

    def _is_early(self, site: Site, name: str, scope: Scope) -> bool:
        """At import; or, in the function whose variable it is, before anything inside can capture it."""
        owner = scope.owner(name)
        if owner.kind != FUNCTION:
            return scope.kind in (MODULE, CLASS)
        again = any(binding.in_loop and binding.line == site.line for binding in owner.bindings[name])
        return owner is scope and not again and (site.line, site.column) < self._captured.get((owner, name), (0, 0))

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
        for scope in self._all:
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
