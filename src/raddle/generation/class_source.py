"""The source of classes, read without parsing a module more than once.

`inspect.getsource` parses the whole module for each class. In a package with hundreds of classes, that takes minutes.
"""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import textwrap
from collections.abc import Iterator, Sequence

from raddle.inspection import module_of, qualname_of


@functools.cache
def module_source(module: str) -> str:
    """Return the source of an imported module; "" if it is not available."""
    try:
        return inspect.getsource(sys.modules[module])
    except (KeyError, OSError, TypeError, SyntaxError):
        return ""


@functools.cache
def _ranges(module: str) -> dict[str, tuple[int, int]]:
    """Return the first and the last line of each class in a module, by its qualified name."""
    try:
        tree = ast.parse(module_source(module))
    except (SyntaxError, ValueError):
        return {}
    found: dict[str, tuple[int, int]] = {}
    for name, node in _classes(tree.body, ""):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        found.setdefault(name, (first, node.end_lineno or first))
    return found


def _classes(body: Sequence[ast.AST], before: str) -> Iterator[tuple[str, ast.ClassDef]]:
    """Yield the class definitions among statements and inside them, with their qualified names."""
    for node in body:
        inner = before
        if isinstance(node, ast.ClassDef):
            yield before + node.name, node
            inner = f"{before}{node.name}."
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inner = f"{before}{node.name}.<locals>."
        for field in ("body", "orelse", "handlers", "finalbody", "cases"):
            yield from _classes(getattr(node, field, ()), inner)


def class_source(cls: type) -> str:
    """Return the source of a class, with its decorators; "" if it is not available.

    >>> class_source(ast.Module)
    ''
    >>> class_source(inspect.Parameter).splitlines()[0]
    'class Parameter:'
    """
    module = module_of(cls)
    found = _ranges(module).get(qualname_of(cls)) if isinstance(module, str) else None
    if found is None:
        return ""
    lines = module_source(module).splitlines(keepends=True)
    return textwrap.dedent("".join(lines[found[0] - 1 : found[1]]))
