"""Pieces of probed code, each at the place of the source it stands for.

Positions are copied, never invented: a traceback through probed code shows the user's line and underlines
what the user wrote there.
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
    """A stretch of the source."""

    line: int
    column: int
    end_line: int | None
    end_column: int | None

    def put(self, node: Node) -> Node:
        """Give a new node, and the new nodes in it, this place; nodes that have a place keep theirs."""
        if isinstance(node, (ast.expr, ast.stmt)) and not hasattr(node, "lineno"):
            node.lineno, node.col_offset = self.line, self.column
            node.end_lineno, node.end_col_offset = self.end_line, self.end_column
            if isinstance(node, ast.Attribute):  # calls of attributes are blamed on their last line
                node.end_lineno, node.end_col_offset = self.line, self.column
            for child in ast.iter_child_nodes(node):
                self.put(child)
        return node


def place_of(node: ast.expr | ast.stmt) -> Place:
    """Where tracebacks say the node's own instruction is.

    For an attribute that is not on the line its object starts on (a chain of calls, one per line), CPython
    blames the line of the attribute's name.
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
    return node.type_params if env.HAS_TYPE_PARAMETERS else ()  # type: ignore[attr-defined] # see there


def is_lazy(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether this is `lazy import` or `lazy from ... import`."""
    return bool(node.is_lazy) if env.HAS_LAZY_IMPORTS else False  # type: ignore[union-attr] # see there


def load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def store(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def probe(name: str, *arguments: ast.expr | str | int | None) -> ast.Call:
    """A call of a probe; arguments that are not code become constants."""
    function = ast.Attribute(load(NAME), name, ast.Load())
    nodes = [value if isinstance(value, ast.expr) else ast.Constant(value) for value in arguments]
    return ast.Call(function, nodes, [])


def then(first: ast.expr, value: ast.expr) -> ast.expr:
    """An expression that evaluates two and has the value of the second."""
    both = ast.Tuple([first, value], ast.Load())
    return ast.Subscript(both, ast.Constant(1), ast.Load())


LONGEST_NAME = 40


def dotted(node: ast.AST) -> str:
    """`self.items` as the source writes it; "" for anything but a short dotted name."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id.startswith("@"):
        return ""
    name = ".".join([node.id, *reversed(parts)])
    return name if len(name) <= LONGEST_NAME else ""


def content_of(node: ast.AST) -> str:
    """The name of what is inside: `self.items[]`."""
    return f"{dotted(node)}[]"


def is_super(node: ast.AST) -> bool:
    """`super()` must stay as it is: the compiler knows it by name."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def is_pytests(node: ast.AST) -> bool:
    """Is this a name of pytest's rewritten assertions, or something got from there?

    `@py_assert1` and so on hold the user's values, and what is done with them is the user's doing.
    """
    while isinstance(node, (ast.Attribute, ast.Call)):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return isinstance(node, ast.Name) and node.id.startswith("@") and not node.id.startswith("@py_assert")
