"""An index of the expressions that have probes, by source position.

The position, kind and name of a site do not identify the object whose attribute is accessed, so the expression for that
object is looked up here. Sites with the same position and name are in evaluation order, from the inside out.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from raddle.instrument.expressions import OBSERVING
from raddle.instrument.model.evidence import VIEWS
from raddle.instrument.nodes import dotted, is_super, place_of

SiteKey = tuple[int, int, str]  # line, column, name


class Index:
    """The probed expressions of a module, found in a single walk over its tree."""

    def __init__(self, tree: ast.Module) -> None:
        # Attributes that are read or written at one position, from the outside in.
        self.read: dict[SiteKey, list[ast.Attribute]] = defaultdict(list)
        self.written: dict[SiteKey, list[ast.Attribute]] = defaultdict(list)
        self.calls: dict[SiteKey, ast.Call] = {}  # calls to built-in functions that access their arguments
        self.views: dict[tuple[int, int], ast.expr] = {}  # `d` in `for k in d.keys()`
        self.guards: set[SiteKey] = set()  # site keys of the expressions used as context managers
        self.imports: list[ast.Import | ast.ImportFrom] = []
        self._called: set[int] = set()
        self._augmented: set[int] = set()
        finders: dict[type[ast.AST], Callable[[Any], None]] = {
            ast.Attribute: self._attribute,
            ast.AugAssign: lambda node: self._augmented.add(id(node.target)),
            ast.Call: self._call,
            ast.For: lambda node: self._iterable(node.iter),
            ast.Import: self.imports.append,
            ast.ImportFrom: self.imports.append,
            ast.comprehension: lambda node: self._iterable(node.iter),
            ast.withitem: lambda node: self._manager(node.context_expr),
        }
        for node in _walk(tree):
            finder = finders.get(type(node))
            if finder is not None:
                finder(node)

    def _attribute(self, node: ast.Attribute) -> None:
        place = place_of(node)
        key = (place.line, place.column, node.attr)
        if isinstance(node.ctx, ast.Load):
            if id(node) not in self._called:
                self.read[key].append(node)
            return
        self.written[key].append(node)
        if id(node) in self._augmented:
            self.read[key].append(node)

    def _call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute):
            if not is_super(function.value):
                self._called.add(id(function))
        elif isinstance(function, ast.Name) and function.id in OBSERVING:
            self.calls[function.lineno, function.col_offset, function.id] = node

    def _iterable(self, node: ast.expr) -> None:
        viewed = viewed_in(node)
        if viewed is not None:
            place = place_of(node)
            self.views[place.line, place.column] = viewed

    def _manager(self, node: ast.expr) -> None:
        if isinstance(node, (ast.Attribute, ast.Name)):
            place = place_of(node)
            self.guards.add((place.line, place.column, dotted(node)))


def _walk(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes, parents before children. This takes less than half as long as `ast.walk`."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for value in vars(node).values():
            if isinstance(value, ast.AST):
                if not isinstance(value, ast.expr_context):
                    waiting.append(value)
            elif isinstance(value, list):
                waiting += [part for part in value if isinstance(part, ast.AST)]


def viewed_in(node: ast.expr) -> ast.expr | None:
    """Return `d` for `d.items()`, `d.keys()` or `d.values()`; None for any other expression.

    >>> viewed_in(ast.parse("d.items()", mode="eval").body).id
    'd'
    """
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in VIEWS:
        return node.func.value
    return None


def absolute_imports(imports: list[ast.Import | ast.ImportFrom], file: str) -> dict[str, str]:
    """Map imported names to the absolute dotted names that they refer to.

    >>> tree = ast.parse("import a.b\\nimport c.d as e\\nfrom .cart import Cart as C")
    >>> absolute_imports(tree.body, "shop/till.py")
    {'a': 'a', 'e': 'c.d', 'C': 'shop.cart.Cart'}
    """
    found: dict[str, str] = {}
    for node in imports:
        if isinstance(node, ast.ImportFrom):
            package = module_name(file).split(".")
            up = node.level - (1 if is_package(file) else 0)
            origin = [*package[: len(package) - up]] if node.level else []
            origin += [node.module] if node.module else []
            for alias in node.names:
                found.setdefault(alias.asname or alias.name, ".".join([*origin, alias.name]))
        else:
            for alias in node.names:
                root = alias.name.partition(".")[0]
                found.setdefault(alias.asname or root, alias.name if alias.asname else root)
    return found


def is_package(file: str) -> bool:
    return file.rpartition("/")[2] == "__init__.py"


def module_name(file: str) -> str:
    """Return the import name of a module, given its label.

    >>> module_name("shop/cart.py"), module_name("shop/__init__.py")
    ('shop.cart', 'shop')
    """
    stem = file.removesuffix(".pyw").removesuffix(".py")
    return stem.removesuffix("/__init__").replace("/", ".")
