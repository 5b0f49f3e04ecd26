"""Functions and classes stay small enough to read easily."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
MAX_LINES = 80  # maximum number of lines in a function
MAX_ATTRIBUTES = 25  # maximum number of attributes of a class


def trees() -> Iterator[tuple[str, ast.Module]]:
    for file in sorted(SOURCE.rglob("*.py")):
        yield str(file.relative_to(SOURCE)), ast.parse(file.read_text(encoding="utf-8"))


def attributes(node: ast.ClassDef) -> set[str]:
    """Return the names of a class's attributes: those that its methods assign to `self`, its fields and its slots."""
    assigned = {
        target.attr
        for target in ast.walk(node)
        if isinstance(target, ast.Attribute)
        and isinstance(target.ctx, ast.Store)
        and isinstance(target.value, ast.Name)
        and target.value.id == "self"
    }
    fields = {
        statement.target.id
        for statement in node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    }
    slots = {
        constant.value
        for statement in node.body
        if isinstance(statement, ast.Assign) and getattr(statement.targets[0], "id", "") == "__slots__"
        for constant in ast.walk(statement.value)
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
    }
    return assigned | fields | slots


def test_no_function_is_longer_than_80_lines() -> None:
    long = {
        f"{name}:{node.lineno} {node.name}": node.end_lineno - node.lineno + 1
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None
        if node.end_lineno - node.lineno + 1 > MAX_LINES
    }
    assert not long


def test_no_object_has_more_than_25_attributes() -> None:
    large = {
        f"{name}:{node.lineno} {node.name}": len(attributes(node))
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and len(attributes(node)) > MAX_ATTRIBUTES
    }
    assert not large
