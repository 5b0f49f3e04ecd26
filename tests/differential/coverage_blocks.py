"""Derives the executed basic blocks of a program from the lines that called its log."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence, Set

DECLARATIONS = (ast.Global, ast.Nonlocal, ast.FunctionDef)
BRANCHES = (ast.If, ast.While, ast.For, ast.Try)


def blocks(text: str, lines: Set[int]) -> set[tuple[str]]:
    """Return the first lines of the executed blocks, given the lines that called the log."""
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    run = {first for function in functions for line, first in _members(function.body, 0) if line in lines}
    return {(str(first),) for first in run}


def _members(body: Sequence[ast.stmt], first: int) -> Iterator[tuple[int, int]]:
    """Yield each line of each statement together with the first line of its block.

    `first` is the first line of the current block, or 0 if a block begins here. A block begins in each branch, and
    after each branching statement or loop. If a loop has no `break`, the statements after it belong to the block of its
    `else`.
    """
    for statement in body:
        if isinstance(statement, DECLARATIONS) and first:
            continue
        if isinstance(statement, (ast.Global, ast.Nonlocal)):
            continue
        first = first or statement.lineno
        lines = range(statement.lineno, (statement.end_lineno or 0) + 1)
        yield from ((line, first) for line in lines)  # a compound statement was entered if any of its lines ran
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
            straight = not isinstance(statement, ast.If) and statement.orelse and not _has_break(statement)
            first = statement.orelse[0].lineno if straight else 0


def _has_break(loop: ast.stmt) -> bool:
    return any(isinstance(inner, ast.Break) for inner in ast.walk(loop))
