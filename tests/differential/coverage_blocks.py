"""Basic blocks, from the lines of a program on which it called its log."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence, Set


def blocks(text: str, lines: Set[int]) -> set[tuple[str]]:
    """The first lines of the blocks that were run, given the lines with calls of the log that were reached."""
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    starts = {start for function in functions for start in _starts(function.body, begins=True)}
    bounds = [*sorted(starts), len(text.splitlines()) + 1]
    run = {start for start, end in itertools.pairwise(bounds) if lines & set(range(start, end))}
    return {(str(start),) for start in run}


def _starts(body: Sequence[ast.stmt], *, begins: bool) -> Iterator[int]:
    """The lines on which blocks begin: the first of each branch, and what follows a branch or a loop.

    What follows the `else` of a loop that is never left by a `break` belongs to it.
    """
    for statement in body:
        if isinstance(statement, ast.Global):  # a declaration
            continue
        if begins:
            yield statement.lineno
        begins = isinstance(statement, ast.If | ast.While)
        if isinstance(statement, ast.If | ast.While):
            yield from _starts(statement.body, begins=True)
            yield from _starts(statement.orelse, begins=True)
            if isinstance(statement, ast.While) and statement.orelse:
                begins = any(isinstance(inner, ast.Break) for inner in ast.walk(statement))
        elif isinstance(statement, ast.With):
            yield from _starts(statement.body, begins=False)
            begins = isinstance(statement.body[-1], ast.If | ast.While)
