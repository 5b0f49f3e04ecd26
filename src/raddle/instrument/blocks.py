"""Which statements begin a basic block.

A block is a stretch of statements that run one after the other: it begins where a function or module does, in
each branch, and behind a compound statement where several ways meet again. Exceptions are not seen as branches
but where `try` catches them; `with` is straight on, unless its body never comes to its end: then the manager may
have swallowed an exception. Class bodies run once, at import, and have no blocks; nor has code that nothing leads
to, as behind `return`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from raddle.instrument.nodes import DEFINITIONS


class _End(NamedTuple):
    """How a stretch of statements ends."""

    goes_on: bool  # does anything lead to what comes next?
    anew: bool = False  # if so, does a block begin there?


_NOWHERE, _STRAIGHT_ON, _ANEW = _End(False), _End(True), _End(True, anew=True)


def leaders(tree: ast.Module) -> frozenset[ast.stmt]:
    """The first statement of each block.

    >>> tree = ast.parse("if a:\\n    b()\\n    c()\\nd()")
    >>> sorted(statement.lineno for statement in leaders(tree))
    [1, 2, 4]
    """
    flow = _Flow()
    flow.follow(tree.body, anew=True)
    return frozenset(flow.leaders)


class _Flow:
    """Follows the flow of control; the statements of pytest's rewritten assertions count as one."""

    def __init__(self) -> None:
        self.leaders: set[ast.stmt] = set()
        self._breaks: list[bool] = []  # for each loop around: does anything leave it?
        self._ways: dict[type[ast.AST], Callable[[Any], _End]] = {
            ast.AsyncFor: self._for,
            ast.AsyncFunctionDef: self._function,
            ast.AsyncWith: self._with,
            ast.Break: self._break,
            ast.ClassDef: self._class,
            ast.Continue: lambda node: _NOWHERE,
            ast.For: self._for,
            ast.FunctionDef: self._function,
            ast.If: self._if,
            ast.Match: self._match,
            ast.Raise: lambda node: _NOWHERE,
            ast.Return: lambda node: _NOWHERE,
            ast.Try: self._try,
            ast.TryStar: self._try,
            ast.While: self._while,
            ast.With: self._with,
        }

    def follow(self, body: Sequence[ast.stmt], *, anew: bool) -> _End:
        for statement in body:
            if anew and not _is_declaration(statement):
                self.leaders.add(statement)
                anew = False
            way = self._ways.get(type(statement))
            end = way(statement) if way else _STRAIGHT_ON
            if not end.goes_on:
                return end
            anew |= end.anew
        return _End(True, anew)

    def _if(self, node: ast.If) -> _End:
        if _is_of_assertion(node.test):
            self.follow(node.body, anew=False)
            self.follow(node.orelse, anew=False)
            return _STRAIGHT_ON
        ends = []
        if not _is_never(node.test):
            ends.append(self.follow(node.body, anew=True))
        if not _is_always(node.test):
            ends.append(self.follow(node.orelse, anew=True) if node.orelse else _ANEW)
        return _meet(ends)

    def _while(self, node: ast.While) -> _End:
        return self._loop(node, ends=not _is_always(node.test))

    def _for(self, node: ast.For | ast.AsyncFor) -> _End:
        return self._loop(node, ends=True)

    def _loop(self, node: ast.While | ast.For | ast.AsyncFor, *, ends: bool) -> _End:
        self._breaks.append(False)
        self.follow(node.body, anew=True)
        after = [_ANEW] if self._breaks.pop() else []
        if ends:
            after.append(self.follow(node.orelse, anew=True) if node.orelse else _ANEW)
        return _meet(after)

    def _break(self, node: ast.Break) -> _End:
        self._breaks[-1] = True
        return _NOWHERE

    def _with(self, node: ast.With | ast.AsyncWith) -> _End:
        end = self.follow(node.body, anew=False)
        return end if end.goes_on else _ANEW

    def _match(self, node: ast.Match) -> _End:
        ends = [self.follow(case.body, anew=True) for case in node.cases]
        last = node.cases[-1]
        takes_all = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None
        return _meet(ends if takes_all else [*ends, _ANEW])

    def _try(self, node: ast.Try) -> _End:
        end = self.follow(node.body, anew=False)
        if end.goes_on:  # whatever comes next is run only if nothing was raised
            end = self.follow(node.orelse, anew=True) if node.orelse else _ANEW
        end = _meet([end, *(self.follow(handler.body, anew=True) for handler in node.handlers)])
        if not node.finalbody:
            return end
        finally_goes_on = self.follow(node.finalbody, anew=True).goes_on
        return _ANEW if end.goes_on and finally_goes_on else _NOWHERE

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> _End:
        self.follow(node.body, anew=True)
        return _STRAIGHT_ON

    def _class(self, node: ast.ClassDef) -> _End:
        for definition in _definitions(node.body):
            self._ways[type(definition)](definition)
        return _STRAIGHT_ON


def _meet(ends: Sequence[_End]) -> _End:
    """What comes after several ways, of which one is taken."""
    going_on = [end for end in ends if end.goes_on]
    if len(going_on) > 1:
        return _ANEW
    return going_on[0] if going_on else _NOWHERE


def _definitions(body: Sequence[ast.AST]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, DEFINITIONS):
            yield node
        elif not isinstance(node, ast.expr):
            yield from _definitions(list(ast.iter_child_nodes(node)))


def _is_declaration(node: ast.stmt) -> bool:
    """What runs nothing, and may have to come first: docstrings, `...`, `global`, `from __future__`."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__"
    return isinstance(node, (ast.Global, ast.Nonlocal))


def _is_always(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and bool(test.value)


def _is_never(test: ast.expr) -> bool:
    return isinstance(test, ast.Constant) and not test.value


def _is_of_assertion(test: ast.expr) -> bool:
    """Did pytest write this, in the place of an `assert`?"""
    return any(isinstance(node, ast.Name) and node.id.startswith("@py") for node in ast.walk(test))
