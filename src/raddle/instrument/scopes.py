"""Resolves the names of a module: determines which scope owns each name, and which names threads can share.

The standard library's `symtable` resolves names for source text only, but raddle also rewrites trees that pytest has
changed. This module therefore applies the scoping rules of the language itself. Functions in a class body do not see
the names bound in that body. A comprehension has its own scope, but `:=` binds in the enclosing scope. Names declared
`global` or `nonlocal` belong to another scope.

Threads can share two kinds of names. A global is *mutated* if some function declares it with `global` and assigns to
it. Other globals change only at import, before threads exist. A local is a *shared cell* if an inner function captures
it and it may be written after that function has been created. Captured constants and arguments are effectively
immutable and get no probe.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from raddle.instrument.nodes import type_parameters

FUNCTION = "function"
LAMBDA = "lambda"
GENERATOR = "generator"  # a generator expression, which runs when it is iterated, perhaps in another thread
COMPREHENSION = "comprehension"  # a list, set or dict comprehension, which runs immediately
CLASS = "class"
MODULE = "module"
_CONSTRUCTORS = frozenset({"__init__", "__new__"})
TYPE_PARAMETERS = "types"  # the type parameter scope of `def f[T]`, `class C[T]`, `type X[T]`

_DEFERRED = frozenset({FUNCTION, LAMBDA, GENERATOR})
_TRANSPARENT = frozenset({COMPREHENSION, GENERATOR})  # `:=` inside these binds in the enclosing scope


class Binding(NamedTuple):
    """A place where a name is bound."""

    line: int
    column: int
    in_loop: bool


@dataclass(slots=True, eq=False)
class Scope:
    """A module, class, function, lambda or comprehension with its own names."""

    kind: str
    node: ast.AST
    parent: Scope | None
    qualname: str  # qualified name used in the sites of this scope
    prefix: str  # prefix of the qualified names of functions and classes in this scope
    mangling_class: str | None  # the class whose name is used to mangle private names here
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    uses: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    cells: set[str] = field(default_factory=set)  # names of this scope that are shared cells
    token: str = ""  # name of a local that distinguishes the cells of different calls; "" if no cells are shared
    has_star_import: bool = False
    imported: set[str] = field(default_factory=set)  # names bound by `from ... import`
    definitions: dict[str, int] = field(default_factory=dict)  # number of times `def` or `class` binds each name
    # Maps the name of a class to whether a constructor in this source is certain to run for each of its objects.
    classes: dict[str, bool] = field(default_factory=dict)

    def mangled(self, name: str) -> str:
        """Return the name after private name mangling: `__x` inside `class C` becomes `_C__x`."""
        if self.mangling_class is None or not name.startswith("__") or name.endswith("__"):
            return name
        owner = self.mangling_class.lstrip("_")
        return f"_{owner}{name}" if owner else name

    def owner(self, name: str) -> Scope:
        """Return the scope that owns a (mangled) name used here; the module scope if no other scope does."""
        scope = self
        if name in scope.bindings and name not in scope.globals and name not in scope.nonlocals:
            return scope
        while scope.parent is not None:
            if name in scope.globals and (scope is self or scope.kind != CLASS):
                break
            scope = scope.parent
            if scope.kind == CLASS or name in scope.nonlocals:
                continue
            if name in scope.bindings and name not in scope.globals:
                return scope
        return scope.module

    def may_be_rebound(self, name: str) -> bool:
        """Return whether a (mangled) name of this scope has bindings other than `def` and `class`."""
        return len(self.bindings.get(name, ())) != self.definitions.get(name, 0)

    @property
    def module(self) -> Scope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def ancestors(self) -> Iterator[Scope]:
        """Yield this scope and its enclosing scopes, from the inside out."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent


@dataclass(frozen=True, slots=True, eq=False)
class Scopes:
    """The scopes of a module, by the node that creates them."""

    module: Scope
    by_node: dict[ast.AST, Scope]
    mutated_globals: frozenset[str]

    def sharing_owner(self, scope: Scope, name: str) -> Scope | None:
        """Return the owner of a (mangled) name used in a scope; None if threads cannot share the name."""
        owner = scope.owner(name)
        shared = self.mutated_globals if owner is self.module else owner.cells
        return owner if name in shared else None


def analyze(tree: ast.Module) -> Scopes:
    """Resolve the names of a module."""
    analyzer = _Analyzer(tree)
    analyzer.visit_all(tree.body)
    scopes = list(analyzer.by_node.values())
    mutated = {name for scope in scopes for name in scope.globals & scope.bindings.keys()}
    _find_shared_cells(scopes)
    owners = [scope for scope in scopes if scope.cells]
    for number, owner in enumerate(owners, start=1):
        owner.token = f"_raddle_cells_{number}"
    return Scopes(analyzer.module, analyzer.by_node, frozenset(mutated))


def _find_shared_cells(scopes: Sequence[Scope]) -> None:
    captured: dict[tuple[Scope, str], tuple[int, int]] = {}  # position of the first function that captures the name
    written_inside: set[tuple[Scope, str]] = set()
    for scope, owner, name, place in captures(scopes):
        captured[owner, name] = min(place, captured.get((owner, name), place))
        if name in scope.nonlocals and name in scope.bindings:
            written_inside.add((owner, name))
    for (owner, name), first_capture in captured.items():
        bindings = owner.bindings[name]
        is_bound_late = any(binding.in_loop or binding[:2] > first_capture for binding in bindings)
        if is_bound_late or len(bindings) > 1 or (owner, name) in written_inside:
            owner.cells.add(name)


def captures(scopes: Iterable[Scope]) -> Iterator[tuple[Scope, Scope, str, tuple[int, int]]]:
    """Yield each use of an outer function's variable in an inner function.

    Each item consists of the scope that uses the variable, the scope that owns it, its name, and the position where the
    inner function is created.
    """
    for scope in scopes:
        for name in scope.uses | scope.nonlocals:
            owner = scope.owner(name)
            if owner is scope or owner.kind != FUNCTION:
                continue
            functions = [inner for inner in _between(scope, owner) if inner.kind in _DEFERRED]
            if functions:
                yield scope, owner, name, _place(functions[-1].node)


def _between(scope: Scope, owner: Scope) -> Iterator[Scope]:
    for inner in scope.ancestors():
        if inner is owner:
            return
        yield inner


def _place(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


class _Analyzer(ast.NodeVisitor):
    def __init__(self, tree: ast.Module) -> None:
        self.module = Scope(MODULE, tree, None, qualname="<module>", prefix="", mangling_class=None)
        self.by_node: dict[ast.AST, Scope] = {tree: self.module}
        self.scope = self.module
        self.loops = 0

    def visit_all(self, nodes: Sequence[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    @contextmanager
    def inside(self, kind: str, node: ast.AST, name: str) -> Iterator[Scope]:
        outer, loops = self.scope, self.loops
        is_global = outer.mangled(name) in outer.globals
        qualname = name if is_global else outer.prefix + name
        if kind == CLASS:
            scope = Scope(kind, node, outer, qualname, prefix=f"{qualname}.", mangling_class=name)
        elif kind in (FUNCTION, LAMBDA, GENERATOR):
            scope = Scope(
                kind, node, outer, qualname, prefix=f"{qualname}.<locals>.", mangling_class=outer.mangling_class
            )
        else:
            # Since 3.12, comprehensions run in the enclosing frame (PEP 709). They get that frame's qualified name on
            # 3.11 too, so that names do not depend on the version.
            scope = Scope(kind, node, outer, outer.qualname, prefix=outer.prefix, mangling_class=outer.mangling_class)
        if kind != TYPE_PARAMETERS:
            self.by_node[node] = scope
        self.scope, self.loops = scope, 0
        yield scope
        self.scope, self.loops = outer, loops

    def bind(self, name: str, node: ast.AST | None) -> None:
        line, column = (0, 0) if node is None else _place(node)
        binding = Binding(line, column, in_loop=self.loops > 0)
        self.scope.bindings.setdefault(self.scope.mangled(name), []).append(binding)

    def define(self, name: str, node: ast.AST) -> None:
        self.bind(name, node)
        mangled = self.scope.mangled(name)
        self.scope.definitions[mangled] = self.scope.definitions.get(mangled, 0) + 1

    # -- names ---------------------------------------------------------------------------------------

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.scope.uses.add(self.scope.mangled(node.id))
        else:
            self.bind(node.id, node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        inner, loops = self.scope, self.loops
        while self.scope.kind in _TRANSPARENT and self.scope.parent is not None:
            self.scope, self.loops = self.scope.parent, 1
        self.bind(node.target.id, node)
        self.scope, self.loops = inner, loops

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name):
            self.scope.uses.add(self.scope.mangled(node.target.id))
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if isinstance(node.target, ast.Name) and node.value is None:
            self.scope.bindings.setdefault(self.scope.mangled(node.target.id), [])  # declared but not bound
        else:
            self.visit_all([node.value, node.target])
        self.visit(node.annotation)

    def visit_Global(self, node: ast.Global) -> None:
        self.scope.globals.update(map(self.scope.mangled, node.names))

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.scope.nonlocals.update(map(self.scope.mangled, node.names))

    def visit_alias(self, node: ast.alias) -> None:
        if node.name == "*":
            self.scope.has_star_import = True
        else:
            self.bind(node.asname or node.name.split(".")[0], node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        self.scope.imported.update(self.scope.mangled(alias.asname or alias.name) for alias in node.names)
        self.generic_visit(node)

    def _visit_capture(self, node: ast.ExceptHandler | ast.MatchAs | ast.MatchStar) -> None:
        if node.name is not None:
            self.bind(node.name, node)
        self.generic_visit(node)

    visit_ExceptHandler = visit_MatchAs = visit_MatchStar = _visit_capture

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest is not None:
            self.bind(node.rest, node)
        self.generic_visit(node)

    # -- loops ---------------------------------------------------------------------------------------

    def _visit_for(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        self.loops += 1
        self.visit_all([node.target, *node.body])
        self.loops -= 1
        self.visit_all(node.orelse)

    visit_For = visit_AsyncFor = _visit_for

    def visit_While(self, node: ast.While) -> None:
        self.loops += 1
        self.visit_all([node.test, *node.body])
        self.loops -= 1
        self.visit_all(node.orelse)

    # -- scopes --------------------------------------------------------------------------------------

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.visit_all([*node.decorator_list, *node.args.defaults, *node.args.kw_defaults])
        self.define(node.name, node)
        with self._type_parameters(node):
            arguments = _arguments(node.args)
            self.visit_all([*(argument.annotation for argument in arguments), node.returns])
            with self.inside(FUNCTION, node, node.name):
                for argument in arguments:
                    self.bind(argument.arg, None)
                self.visit_all(node.body)

    visit_FunctionDef = visit_AsyncFunctionDef = _visit_function

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit_all([*node.args.defaults, *node.args.kw_defaults])
        with self.inside(LAMBDA, node, "<lambda>"):
            for argument in _arguments(node.args):
                self.bind(argument.arg, None)
            self.visit(node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.visit_all(node.decorator_list)
        self.define(node.name, node)
        name = self.scope.mangled(node.name)
        self.scope.classes[name] = self.scope.classes.get(name, True) and self._has_constructor(node)
        with self._type_parameters(node):
            self.visit_all([*node.bases, *node.keywords])
            with self.inside(CLASS, node, node.name):
                self.visit_all(node.body)

    def _has_constructor(self, node: ast.ClassDef) -> bool:
        """Return whether a constructor in this source is certain to run for every object of the class.

        A decorator may generate a constructor (as `dataclass` does) or return another class. A metaclass need not call
        the constructor.
        """
        if node.decorator_list or node.keywords:
            return False
        methods = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name in _CONSTRUCTORS]
        if methods or not node.bases:
            return any(not method.decorator_list for method in methods)
        first = node.bases[0]
        return isinstance(first, ast.Name) and any(
            scope.classes.get(scope.mangled(first.id), False) for scope in self.scope.ancestors()
        )

    def visit_TypeAlias(self, node: ast.AST) -> None:  # the node is an ast.TypeAlias, which 3.11 lacks
        self.visit(node.name)  # type: ignore[attr-defined] # see above
        with self._type_parameters(node):
            self.visit(node.value)  # type: ignore[attr-defined] # see above

    @contextmanager
    def _type_parameters(self, node: ast.AST) -> Iterator[None]:
        parameters = type_parameters(node)
        if not parameters:
            yield
            return
        with self.inside(TYPE_PARAMETERS, node, ""):
            for parameter in parameters:
                self.bind(parameter.name, parameter)  # type: ignore[attr-defined] # an ast.type_param
                self.generic_visit(parameter)
            yield

    def _visit_comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        first = node.generators[0]
        self.visit(first.iter)
        is_generator = isinstance(node, ast.GeneratorExp)
        with self.inside(GENERATOR if is_generator else COMPREHENSION, node, "<genexpr>"):
            self.loops = 1
            for generator in node.generators:
                if generator is not first:
                    self.visit(generator.iter)
                self.visit_all([generator.target, *generator.ifs])
            self.visit_all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt])

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    variadic = (arguments.vararg, arguments.kwarg)
    return [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        *(argument for argument in variadic if argument is not None),
    ]
