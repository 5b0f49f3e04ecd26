"""Finds the statements that begin a basic block.

A basic block is a sequence of statements that run one after the other. A block begins at the start of a function,
a module or a branch, and after a compound statement where several paths join. An exception counts as a branch only if
a `try` statement catches it. A `with` statement counts as a branch only if control never reaches the end of its body.
The code after the statement then runs only if the context manager suppresses an exception. Class bodies run once, at
import, and have no blocks. Unreachable code, such as code after `return`, has no blocks either.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from raddle.instrument.nodes import DEFINITIONS


class _End(NamedTuple):
    """How a sequence of statements ends."""

    continues: bool  # True if control can reach the next statement
    starts_block: bool = False  # True if the next statement begins a block


_STOPS, _CONTINUES, _STARTS_BLOCK = _End(False), _End(True), _End(True, starts_block=True)


def leaders(tree: ast.Module) -> frozenset[ast.stmt]:
    """Return the first statement of each block.

    >>> tree = ast.parse("if a:\\n    b()\\n    c()\\nd()")
    >>> sorted(statement.lineno for statement in leaders(tree))
    [1, 2, 4]
    """
    flow = _Flow()
    flow.follow(tree.body, starts_block=True)
    return frozenset(flow.leaders)


class _Flow:
    """Follows the control flow of a module.

    The statements that pytest generates for an assertion count as one statement.
    """

    def __init__(self) -> None:
        self.leaders: set[ast.stmt] = set()
        self._breaks: list[bool] = []  # for each enclosing loop: True if it has a reachable `break`
        self._handlers: dict[type[ast.AST], Callable[[Any], _End]] = {
            ast.AsyncFor: self._for,
            ast.AsyncFunctionDef: self._function,
            ast.AsyncWith: self._with,
            ast.Break: self._break,
            ast.ClassDef: self._class,
            ast.Continue: lambda node: _STOPS,
            ast.For: self._for,
            ast.FunctionDef: self._function,
            ast.If: self._if,
            ast.Match: self._match,
            ast.Raise: lambda node: _STOPS,
            ast.Return: lambda node: _STOPS,
            ast.Try: self._try,
            ast.TryStar: self._try,
            ast.While: self._while,
            ast.With: self._with,
        }

    def follow(self, body: Sequence[ast.stmt], *, starts_block: bool) -> _End:
        for statement in body:
            if starts_block and not _is_declaration(statement):
                self.leaders.add(statement)
                starts_block = False
            handler = self._handlers.get(type(statement))
            end = handler(statement) if handler else _CONTINUES
            if not end.continues:
                return end
            starts_block |= end.starts_block
        return _End(True, starts_block)

    def _if(self, node: ast.If) -> _End:
        if _is_from_assertion(node.test):
            self.follow(node.body, starts_block=False)
            self.follow(node.orelse, starts_block=False)
            return _CONTINUES
        ends = []
        if not _is_always_false(node.test):
            ends.append(self.follow(node.body, starts_block=True))
        if not _is_always_true(node.test):
            ends.append(self.follow(node.orelse, starts_block=True) if node.orelse else _STARTS_BLOCK)
        return _merge(ends)

    def _while(self, node: ast.While) -> _End:
        return self._loop(node, ends=not _is_always_true(node.test))

    def _for(self, node: ast.For | ast.AsyncFor) -> _End:
        return self._loop(node, ends=True)

    def _loop(self, node: ast.While | ast.For | ast.AsyncFor, *, ends: bool) -> _End:
        self._breaks.append(False)
        self.follow(node.body, starts_block=True)
        after = [_STARTS_BLOCK] if self._breaks.pop() else []
        if ends:
            after.append(self.follow(node.orelse, starts_block=True) if node.orelse else _STARTS_BLOCK)
        return _merge(after)

    def _break(self, node: ast.Break) -> _End:
        self._breaks[-1] = True
        return _STOPS

    def _with(self, node: ast.With | ast.AsyncWith) -> _End:
        end = self.follow(node.body, starts_block=False)
        return end if end.continues else _STARTS_BLOCK

    def _match(self, node: ast.Match) -> _End:
        ends = [self.follow(case.body, starts_block=True) for case in node.cases]
        last = node.cases[-1]
        is_catch_all = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None
        return _merge(ends if is_catch_all else [*ends, _STARTS_BLOCK])

    def _try(self, node: ast.Try) -> _End:
        end = self.follow(node.body, starts_block=False)
        if end.continues:  # `else`, or the code after `try`, runs only if nothing was raised
            end = self.follow(node.orelse, starts_block=True) if node.orelse else _STARTS_BLOCK
        end = _merge([end, *(self.follow(handler.body, starts_block=True) for handler in node.handlers)])
        if not node.finalbody:
            return end
        finally_continues = self.follow(node.finalbody, starts_block=True).continues
        return _STARTS_BLOCK if end.continues and finally_continues else _STOPS

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> _End:
        self.follow(node.body, starts_block=True)
        return _CONTINUES

    def _class(self, node: ast.ClassDef) -> _End:
        for definition in _definitions(node.body):
            self._handlers[type(definition)](definition)
        return _CONTINUES


def _merge(ends: Sequence[_End]) -> _End:
    """Combine the ends of alternative paths into the end of the whole statement."""
    continuing = [end for end in ends if end.continues]
    if len(continuing) > 1:
        return _STARTS_BLOCK
    return continuing[0] if continuing else _STOPS


def _definitions(body: Sequence[ast.AST]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, DEFINITIONS):
            yield node
        elif not isinstance(node, ast.expr):
            yield from _definitions(list(ast.iter_child_nodes(node)))


def _is_declaration(node: ast.stmt) -> bool:
    """Return whether a statement runs no code and may have to come before all others, like a docstring."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__"
    return isinstance(node, (ast.Global, ast.Nonlocal))


def _is_always_true(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _is_always_false(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and not test.value


def _is_from_assertion(test: ast.expr) -> bool:
    """Return whether pytest generated this condition when it rewrote an `assert`."""
    return any(isinstance(node, ast.Name) and node.id.startswith("@py") for node in ast.walk(test))
