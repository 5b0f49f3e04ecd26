"""The variables that a statement or an expression defines and uses."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator


def used(expression: ast.AST | None, leave_out: Iterable[ast.AST] = ()) -> tuple[str, ...]:
    """Return the variables that an expression uses, in order and without duplicates.

    Parts of the expression in `leave_out` do not count, nor do the variables of lambdas and comprehensions.

    >>> used(ast.parse("f(x)[i] + sum(x * k for k in n)", mode="eval").body)
    ('f', 'x', 'i', 'sum', 'n')
    """
    skipped = set(leave_out)
    return tuple(dict.fromkeys(_used(expression, skipped))) if expression is not None else ()


def _used(node: ast.AST, skipped: set[ast.AST]) -> Iterator[str]:
    if node in skipped:
        return
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load):
            yield node.id
        return
    inner: set[str] = set()
    if isinstance(node, ast.Lambda):
        arguments = node.args
        inner = {one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        inner |= {one.arg for one in (arguments.vararg, arguments.kwarg) if one is not None}
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
        inner = {name for generator in node.generators for name in defined(generator.target)}
    for child in ast.iter_child_nodes(node):
        for name in _used(child, skipped):
            if name not in inner:
                yield name


def defined(target: ast.AST) -> tuple[str, ...]:
    """Return the variables that an assignment to this target defines. Storing an element defines the whole variable.

    >>> defined(ast.parse("(a, b[0], *c.d) = v").body[0].targets[0])
    ('a', 'b', 'c')
    """
    return tuple(dict.fromkeys(_defined(target)))


def _defined(target: ast.AST) -> Iterator[str]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _defined(element)
    elif isinstance(target, (ast.Starred, ast.Subscript, ast.Attribute)):
        yield from _defined(target.value)
    elif isinstance(target, ast.Name):
        yield target.id


def used_by_store(target: ast.AST) -> tuple[str, ...]:
    """Return the variables that an assignment to this target uses: those in indices, but not the stored variable.

    >>> used_by_store(ast.parse("part[i][j + k] = v").body[0].targets[0])
    ('i', 'j', 'k')
    """
    return tuple(dict.fromkeys(_used_by_store(target)))


def _used_by_store(target: ast.AST) -> Iterator[str]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _used_by_store(element)
    elif isinstance(target, (ast.Starred, ast.Attribute)):
        yield from _used_by_store(target.value)
    elif isinstance(target, ast.Subscript):
        yield from _used_by_store(target.value)
        yield from used(target.slice)
    elif not isinstance(target, ast.Name):
        yield from used(target)


def assigned_by_walrus(*expressions: ast.AST | None) -> tuple[str, ...]:
    """Return the variables that `:=` defines in these expressions."""
    names = (
        node.target.id
        for expression in expressions
        if expression is not None
        for node in ast.walk(expression)
        if isinstance(node, ast.NamedExpr)
    )
    return tuple(dict.fromkeys(names))


def captured(pattern: ast.AST) -> tuple[str, ...]:
    """Return the variables that a pattern of a `match` statement defines."""
    names: list[str] = []
    for node in ast.walk(pattern):
        if isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name is not None:
            names.append(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest is not None:
            names.append(node.rest)
    return tuple(dict.fromkeys(names))
