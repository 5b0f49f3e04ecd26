"""Basic blocks, from the lines of a program on which it called its log."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set

DECLARATIONS = (ast.Global, ast.Nonlocal, ast.FunctionDef)
BRANCHES = (ast.If, ast.While, ast.For, ast.Try)


def blocks(text: str, lines: Set[int]) -> set[tuple[str]]:
    """The first lines of the blocks that were run, given the lines with calls of the log that were reached."""
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    run = {first for function in functions for line, first in _members(function.body, 0) if line in lines}
    return {(str(first),) for first in run}


def _members(body: Sequence[ast.stmt], first: int) -> Iterator[tuple[int, int]]:
    """The lines of statements, each with the first line of its block; 0 if a block begins here.

    Blocks begin with each branch and after branches and loops. What follows the `else` of a loop that is never left by
    a `break` belongs to that.
    """
    for statement in body:
        if isinstance(statement, DECLARATIONS) and first:
            continue
        if isinstance(statement, (ast.Global, ast.Nonlocal)):
            continue
        first = first or statement.lineno
        lines = range(statement.lineno, (statement.end_lineno or 0) + 1)
        yield from ((line, first) for line in lines)  # a compound statement was begun if anything in it was run
        if isinstance(statement, ast.With):
            yield from _members(statement.body, first)
            first = 0 if isinstance(statement.body[-1], BRANCHES) else first
        elif isinstance(statement, ast.Try):
            yield from _members(statement.body, first)
            for handler in statement.handlers:
                yield from _members(handler.body, 0)
            first = 0
        elif isinstance(statement, (ast.If, ast.While, ast.For)):
            yield from _members(statement.body, 0)
            yield from _members(statement.orelse, 0)
            straight = not isinstance(statement, ast.If) and statement.orelse and not _is_left(statement)
            first = statement.orelse[0].lineno if straight else 0


def _is_left(loop: ast.stmt) -> bool:
    return any(isinstance(inner, ast.Break) for inner in ast.walk(loop))
