"""Finds names that refer to code, and variables that hold containers, in classes and functions."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from raddle.instrument.model.evidence import is_container_type, makes_container
from raddle.instrument.model.receivers import OF_CLASS, Holder, Receivers
from raddle.instrument.nodes import DEFINITIONS, dotted
from raddle.instrument.scopes import CLASS, Scope

_CODE_FACTORIES = frozenset({"property", "staticmethod", "classmethod", "partialmethod", "cached_property"})


def held_containers(scopes: Iterable[Scope], receivers: Receivers) -> Iterator[tuple[Holder, str]]:
    """Yield the holder and name of each variable to which some statement assigns a container."""
    for scope in scopes:
        for statement in _statements(getattr(scope.node, "body", None)):
            for target in _container_targets(statement):
                if isinstance(target, ast.Name) and scope.kind == CLASS:
                    yield Holder(OF_CLASS, scope.qualname), scope.mangled(target.id)
                elif isinstance(target, ast.Name):
                    yield receivers.scope_of(target.id, scope), scope.mangled(target.id)
                elif isinstance(target, ast.Attribute):
                    yield receivers.of(target.value, scope), scope.mangled(target.attr)


def code_in(scope: Scope) -> set[str]:
    """Return the names in a class that refer to code: methods, properties and nested classes."""
    code: set[str] = set()
    for statement in _statements(getattr(scope.node, "body", None)):
        if isinstance(statement, DEFINITIONS):
            code.add(scope.mangled(statement.name))
        elif isinstance(statement, ast.Assign) and _is_code(statement.value):
            code |= {scope.mangled(target.id) for target in statement.targets if isinstance(target, ast.Name)}
    return code


def slots_of(scope: Scope) -> set[str]:
    """Return the attributes that `__slots__` names."""
    for statement in _statements(getattr(scope.node, "body", None)):
        if isinstance(statement, ast.Assign) and any(dotted(target) == "__slots__" for target in statement.targets):
            texts = [node.value for node in ast.walk(statement.value) if isinstance(node, ast.Constant)]
            return {scope.mangled(text) for text in texts if isinstance(text, str)}
    return set()


def _container_targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        pairs = [pair for target in statement.targets for pair in _pairs(target, statement.value)]
        return [target for target, value in pairs if makes_container(value)]
    if not isinstance(statement, ast.AnnAssign):
        return []
    return [statement.target] if makes_container(statement.value) or is_container_type(statement.annotation) else []


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Return the (target, value) pairs of an assignment; `a, b = [], {}` has two pairs."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _statements(body: object) -> Iterator[ast.stmt]:
    """Yield the statements of one scope, including those in branches and loops."""
    if not isinstance(body, list):
        return  # there is no body, or the body is the expression of a lambda
    for statement in body:
        yield statement
        if not isinstance(statement, DEFINITIONS):
            for name in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(statement, name, None))
            for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                yield from _statements(part.body)


def _is_code(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return dotted(value.func).rpartition(".")[2] in _CODE_FACTORIES
    return isinstance(value, ast.Lambda)
