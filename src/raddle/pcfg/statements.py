"""Turns one statement into a node: its definitions, uses, transfers and calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Set

from raddle.pcfg.names import assigned_by_walrus, captured, defined, used, used_by_store
from raddle.pcfg.numbering import ENTRY, Function, Numbering, first_word
from raddle.pcfg.primitives import Communication, communication
from raddle.pcfg.unit import Call, Node

Resolver = Callable[[ast.Call], Call | None]  # finds the function of the program that a call runs
_Expressions = tuple[ast.expr | None, ...]


def make_node(number: int, syntax: ast.AST, numbering: Numbering, modules: Set[str], resolve: Resolver) -> Node:
    """Return the node of a statement, of the entry of a function, of a handler or of a case."""
    line = numbering.line(number)
    if line.text == ENTRY:
        assert isinstance(syntax, Function)
        return Node(number, line.line, ENTRY, parameters(syntax))
    if isinstance(syntax, ast.ExceptHandler):
        return Node(number, line.line, "except", (syntax.name,) if syntax.name else (), used(syntax.type))
    if isinstance(syntax, ast.match_case):
        return Node(number, line.line, "case", captured(syntax.pattern), decides_with=used(syntax.guard))
    assert isinstance(syntax, ast.stmt)
    computed, decided, defines = _parts(syntax)
    expressions = (*computed, *decided)
    found = communication(syntax, expressions, modules)
    stores = _stores(syntax)
    filled = _filled(syntax, found)
    c_uses = tuple(dict.fromkeys([name for one in computed for name in _uses(one, found, filled)] + stores))
    return Node(
        number,
        line.line,
        _text(syntax, found),
        tuple(dict.fromkeys((*defines, *assigned_by_walrus(*expressions), *found.defined))),
        c_uses,
        tuple(dict.fromkeys(name for one in decided for name in _uses(one, found, filled))),
        found.sends,
        found.receives,
        tuple(call for one in expressions for call in _resolved(one, resolve)),
        isinstance(syntax, ast.Return),
    )


def parameters(function: Function) -> tuple[str, ...]:
    """Return the parameters of a function, in order."""
    arguments = function.args
    named = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return (*named, *(one.arg for one in (arguments.vararg, arguments.kwarg) if one is not None))


def _parts(statement: ast.stmt) -> tuple[_Expressions, _Expressions, tuple[str, ...]]:
    """Return the expressions that compute, those that decide, and the variables that the statement defines."""
    match statement:
        case ast.If() | ast.While():
            return (), (statement.test,), ()
        case ast.For() | ast.AsyncFor():
            return (), (statement.iter,), defined(statement.target)
        case ast.Match():
            return (), (statement.subject,), ()
        case ast.Assert():
            return (statement.test, statement.msg), (), ()
        case ast.Assign():
            targets = tuple(name for target in statement.targets for name in defined(target))
            return (statement.value,), (), targets
        case ast.AnnAssign():
            return (statement.value,), (), () if statement.value is None else defined(statement.target)
        case ast.AugAssign():
            return (statement.value,), (), defined(statement.target)
        case ast.With() | ast.AsyncWith():
            items = statement.items
            names = tuple(n for item in items if item.optional_vars is not None for n in defined(item.optional_vars))
            return tuple(item.context_expr for item in items), (), names
        case ast.Expr() | ast.Return():
            return (statement.value,), (), ()
        case ast.Raise():
            return (statement.exc, statement.cause), (), ()
        case ast.Import() | ast.ImportFrom():
            return (), (), tuple((alias.asname or alias.name).partition(".")[0] for alias in statement.names)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return (), (), (statement.name,)
    return (), (), ()


def _stores(statement: ast.stmt) -> list[str]:
    """Return the variables that the targets of an assignment use."""
    if isinstance(statement, ast.Assign):
        return [name for target in statement.targets for name in used_by_store(target)]
    if isinstance(statement, ast.AnnAssign):
        return list(used_by_store(statement.target))
    if isinstance(statement, ast.AugAssign):  # also uses the variable that it defines
        return [*defined(statement.target), *used_by_store(statement.target)]
    return []


def _filled(statement: ast.stmt, found: Communication) -> frozenset[ast.AST]:
    """Return the arguments that calls fill, such as the buffer of `Recv`; naming them is no use of their value."""
    if not found.defined:
        return frozenset()
    return frozenset(node for node in ast.walk(statement) if isinstance(node, ast.Name) and node.id in found.defined)


def _uses(expression: ast.expr | None, found: Communication, filled: frozenset[ast.AST]) -> tuple[str, ...]:
    return used(expression, (*found.payloads, *filled))


def _resolved(expression: ast.expr | None, resolve: Resolver) -> list[Call]:
    if expression is None:
        return []
    calls = [resolve(node) for node in ast.walk(expression) if isinstance(node, ast.Call)]
    return [call for call in calls if call is not None]


def _text(statement: ast.stmt, found: Communication) -> str:
    """Return a word for drawings: the operation that communicates, or the kind of statement."""
    operations = [transfer.operation for transfer in (*found.sends, *found.receives)]
    return operations[0] if operations else first_word(statement)
