"""Inserts probes into a file that tell which nodes a process visits.

A probe is a call of a global function with the number of a node. It also marks the entry of a unit with its number, and
the end of a unit with the negated number of its entry. A `for` statement is visited before each iteration and when
there are no more items. Loops call a function of their own, which limits the memory that a path takes.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from raddle.pcfg.numbering import Function, Numbering, is_docstring

PROBE, LOOP_PROBE = "__raddle_node__", "__raddle_loop__"  # the global variables of a module that hold the functions


def insert_probes(tree: ast.Module, numbering: Numbering, attach: str) -> None:
    """Insert probes into a module; `attach` is the expression that returns the functions to call.

    >>> from raddle.pcfg.numbering import number_statements
    >>> tree = ast.parse("def f(n):\\n    while n:\\n        n -= 1")
    >>> insert_probes(tree, number_statements(tree, 100), "(print, print)")
    >>> print(ast.unparse(tree.body[2]))
    def f(n):
        __raddle_node__(101)
        while __raddle_loop__(102) or n:
            __raddle_node__(103)
            n -= 1
        __raddle_node__(-101)
    """
    first = _after_preamble(tree.body)
    entry = numbering.entry(tree)
    names = ast.Tuple([ast.Name(name, ast.Store()) for name in (PROBE, LOOP_PROBE)], ast.Store())
    prologue = ast.Assign([names], ast.parse(attach, mode="eval").body)
    inserter = _Inserter(numbering)
    tree.body = [
        *tree.body[:first],
        prologue,
        _probe(entry),
        *inserter.block(tree.body[first:]),
        _probe(-entry),
    ]
    ast.fix_missing_locations(tree)


def _after_preamble(body: Sequence[ast.stmt]) -> int:
    """Return the position after the docstring and the imports from `__future__`."""
    position = 1 if body and is_docstring(body[0]) else 0
    while position < len(body):
        statement = body[position]
        if not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__"):
            break
        position += 1
    return position


def _call(number: int, function: str) -> ast.Call:
    return ast.Call(ast.Name(function, ast.Load()), [ast.Constant(number)], [])


def _probe(number: int, place: ast.AST | None = None, function: str = PROBE) -> ast.stmt:
    statement = ast.Expr(_call(number, function))
    if place is not None and hasattr(place, "lineno"):
        ast.copy_location(statement, place)
        ast.copy_location(statement.value, place)
    return statement


class _Inserter:
    """Inserts probes into the statements of a file."""

    def __init__(self, numbering: Numbering) -> None:
        self._numbering = numbering

    def block(self, body: Sequence[ast.stmt], loop: int | None = None) -> list[ast.stmt]:
        """Return the statements with probes; `loop` is the number of the enclosing `for` statement, if any."""
        return [one for statement in body for one in self._statement(statement, loop)]

    def _statement(self, statement: ast.stmt, loop: int | None) -> list[ast.stmt]:
        number = self._numbering.number(statement)
        before = [] if number is None else [_probe(number, statement)]
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._function(statement)
            case ast.ClassDef():
                for inner in statement.body:
                    if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                        self._statement(inner, None)
            case ast.While():
                assert number is not None
                visit = ast.copy_location(_call(number, LOOP_PROBE), statement.test)
                statement.test = ast.copy_location(ast.BoolOp(ast.Or(), [visit, statement.test]), statement.test)
                statement.body = self.block(statement.body)
                statement.orelse = self.block(statement.orelse, loop)
                return [statement]
            case ast.For() | ast.AsyncFor():
                assert number is not None
                statement.body = [*self.block(statement.body, number), _probe(number, statement, LOOP_PROBE)]
                statement.orelse = self.block(statement.orelse, loop)
            case ast.Continue() if loop is not None:
                before.append(_probe(loop, statement, LOOP_PROBE))
            case _:
                self._inside(statement, loop)
        return [*before, statement]

    def _inside(self, statement: ast.stmt, loop: int | None) -> None:
        """Insert probes into the blocks of a compound statement that is no loop."""
        match statement:
            case ast.If():
                statement.body = self.block(statement.body, loop)
                statement.orelse = self.block(statement.orelse, loop)
            case ast.With() | ast.AsyncWith():
                statement.body = self.block(statement.body, loop)
            case ast.Try() | ast.TryStar():
                statement.body = self.block(statement.body, loop)
                statement.orelse = self.block(statement.orelse, loop)
                statement.finalbody = self.block(statement.finalbody, loop)
                for handler in statement.handlers:
                    handler.body = self._numbered(handler, handler.body, loop)
            case ast.Match():
                for case in statement.cases:
                    case.body = self._numbered(case, case.body, loop)

    def _numbered(
        self, part: ast.ExceptHandler | ast.match_case, body: list[ast.stmt], loop: int | None
    ) -> list[ast.stmt]:
        number = self._numbering.number(part)
        assert number is not None
        return [_probe(number, body[0]), *self.block(body, loop)]

    def _function(self, function: Function) -> None:
        entry = self._numbering.entry(function)
        first = 1 if is_docstring(function.body[0]) else 0
        function.body = [
            *function.body[:first],
            _probe(entry, function),
            *self.block(function.body[first:]),
            _probe(-entry, function.body[-1]),
        ]
