"""Builds the AST nodes of probed code, each with the source position of the code it replaces.

Positions are copied from the source. A traceback through probed code therefore shows the user's line and underlines
the user's expression.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from raddle import env
from raddle.probe import NAME

Node = TypeVar("Node", bound=ast.AST)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Place(NamedTuple):
    """A range of the source."""

    line: int
    column: int
    end_line: int | None
    end_column: int | None

    def locate(self, node: Node) -> Node:
        """Set the position of a new node and of the new nodes inside it; nodes that already have a position keep it."""
        if isinstance(node, (ast.expr, ast.stmt)) and not hasattr(node, "lineno"):
            node.lineno, node.col_offset = self.line, self.column
            node.end_lineno, node.end_col_offset = self.end_line, self.end_column
            if isinstance(node, ast.Attribute):  # tracebacks show a method call on the last line of the attribute
                node.end_lineno, node.end_col_offset = self.line, self.column
            for child in ast.iter_child_nodes(node):
                self.locate(child)
        return node


def place_of(node: ast.expr | ast.stmt) -> Place:
    """Return the position that tracebacks show for the node's own instruction.

    In a chain of calls with one call per line, an attribute's name may be on a later line than the start of the node.
    CPython then reports the line of the attribute's name.
    """
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        place = place_of(node.func)
        if place.line != node.lineno:
            return place._replace(end_line=node.end_lineno, end_column=node.end_col_offset)
    if isinstance(node, ast.Attribute) and node.end_lineno is not None and node.lineno != node.end_lineno:
        column = (node.end_col_offset or 0) - len(node.attr.encode())
        if column >= 0:
            return Place(node.end_lineno, column, node.end_lineno, node.end_col_offset)
    return Place(node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def type_parameters(node: ast.AST) -> Sequence[ast.AST]:
    """Return the type parameters of a function, class or type alias."""
    return node.type_params if env.HAS_TYPE_PARAMETERS else ()  # type: ignore[attr-defined] # since 3.12


def is_lazy(node: ast.Import | ast.ImportFrom) -> bool:
    """Return whether this is `lazy import` or `lazy from ... import`."""
    return bool(node.is_lazy) if env.HAS_LAZY_IMPORTS else False  # type: ignore[union-attr] # since 3.15


def load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def store(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def probe(name: str, *arguments: ast.expr | str | int | None) -> ast.Call:
    """Return a call to a probe; arguments that are not AST nodes become constants."""
    function = ast.Attribute(load(NAME), name, ast.Load())
    nodes = [value if isinstance(value, ast.expr) else ast.Constant(value) for value in arguments]
    return ast.Call(function, nodes, [])


def in_sequence(first: ast.expr, value: ast.expr) -> ast.expr:
    """Return an expression that evaluates both arguments and has the value of the second."""
    both = ast.Tuple([first, value], ast.Load())
    return ast.Subscript(both, ast.Constant(1), ast.Load())


MAX_NAME_LENGTH = 40  # maximum length of a dotted name in a site, in characters


def dotted(node: ast.AST) -> str:
    """Return the text of a short dotted name such as `self.items`; "" for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id.startswith("@"):
        return ""
    name = ".".join([node.id, *reversed(parts)])
    return name if len(name) <= MAX_NAME_LENGTH else ""


def content_of(node: ast.AST) -> str:
    """Return the name of a container's content, such as `self.items[]`."""
    return f"{dotted(node)}[]"


def is_super(node: ast.AST) -> bool:
    """Return whether this is a call to `super`, which must stay unchanged: the compiler recognizes it by name."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def is_from_pytest(node: ast.AST) -> bool:
    """Return whether this is a name that pytest adds to assertions, or an attribute of such a name or a call to it.

    `@py_assert1` and similar names are excluded. They hold values of the user's expressions, so accesses to those
    values count as accesses by the user's code.
    """
    while isinstance(node, (ast.Attribute, ast.Call)):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return isinstance(node, ast.Name) and node.id.startswith("@") and not node.id.startswith("@py_assert")
