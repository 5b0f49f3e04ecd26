"""Writes values as expressions: the values that a test can create with source code."""

from __future__ import annotations

import ast
import builtins
import sys
from collections import deque
from collections.abc import Callable
from enum import Enum, Flag
from typing import Any

from raddle.generation.expressions import Container, Expression, Imported, Literal, New, Values
from raddle.generation.package_classes import imported
from raddle.inspection import class_attribute, module_of, name_of

MAX_SIZE = 40  # longer texts and containers are not used as arguments
_DEPTH = 4
_SCALARS = (bool, int, str, bytes, type(None), type(Ellipsis))
_COLLECTIONS: dict[type, str] = {list: "list", tuple: "tuple", set: "set", frozenset: "frozenset", deque: "deque"}


Known = Callable[[Any], Expression | None]  # returns the expression for a value that is known otherwise


def _unknown(value: Any) -> Expression | None:
    return None


def expression_of(value: Any, *, known: Known = _unknown, depth: int = 0) -> Expression | None:
    """Return an expression that creates an equal value; None if there is none or if it is too long.

    `known` may return the expressions of objects that only the caller can write.

    >>> from datetime import timedelta
    >>> expression_of(timedelta(seconds=1))
    New(function=Imported(module='datetime', name='timedelta'), arguments=(), keywords=(('seconds', Literal(value=1)),))
    >>> expression_of([1, len]), expression_of(object())
    (Container(kind='list', items=(Literal(value=1), Imported(module='builtins', name='len'))), None)
    """
    kind = type(value)
    if kind in _SCALARS:
        return Literal(value) if not isinstance(value, (str, bytes)) or len(value) <= MAX_SIZE else None
    if kind in (float, complex):
        # The source of an infinite or undefined number is not a literal.
        return (
            Literal(value) if value - value == 0 else New(Imported("builtins", name_of(kind)), (Literal(str(value)),))
        )
    if kind in _COLLECTIONS or kind is dict:
        return _container(value, kind, known, depth)
    if (expression := known(value)) is not None:
        return expression
    if isinstance(value, Enum):
        return _member(value)
    is_named = issubclass(kind, type) or callable(value)
    if is_named and (found := imported(value)) is not None:
        return found
    return _from_repr(value) if depth < _DEPTH else None


def _container(value: Any, kind: type, known: Known, depth: int) -> Expression | None:
    if len(value) > MAX_SIZE or depth > _DEPTH:
        return None
    parts = [part for item in value.items() for part in item] if kind is dict else list(value)
    items = [expression_of(part, known=known, depth=depth + 1) for part in parts]
    if kind in (set, frozenset):
        items.sort(key=repr)  # the order of a set depends on hashes
    found = tuple(item for item in items if item is not None)
    return Container(_COLLECTIONS.get(kind, "dict"), found) if len(found) == len(items) else None


def _member(value: Enum) -> Expression | None:
    kind = type(value)
    found = imported(kind)
    if found is None:
        return None
    if value.name in kind.__members__:
        return Imported(found.module, f"{found.name}.{value.name}")
    return New(found, (Literal(value.value),)) if issubclass(kind, Flag) else None  # a combination of members


def _from_repr(value: Any) -> Expression | None:
    """Return the expression that a `repr` such as `Decimal('1.5')` spells, if it creates an equal value."""
    try:
        text = repr(value)
        tree = ast.parse(text, mode="eval").body if len(text) < 200 else None
        found = _of_node(tree, type(value)) if isinstance(tree, ast.Call) else None
        return found if found is not None and are_alike(Values().of(found), value) else None
    except Exception:  # code of the value's class
        return None


def are_alike(value: Any, other: Any) -> bool:
    """Return whether two values are equal. Objects that do not define equality are alike if they have the same text.

    >>> are_alike(1, 1), are_alike(1, 1.0), are_alike(object(), object())
    (True, False, False)
    """
    if type(value) is not type(other):
        return False
    is_defined = class_attribute(type(value), "__eq__") is not object.__eq__
    return bool(value == other if is_defined else repr(value) == repr(other))


def _of_node(node: ast.expr, kind: type) -> Expression | None:
    match node:
        case ast.Call(func=function, args=arguments, keywords=keywords):
            target = _named(function, kind)
            positional = [_of_node(argument, kind) for argument in arguments]
            named = [(keyword.arg, _of_node(keyword.value, kind)) for keyword in keywords]
            if target is None or None in positional or any(None in pair for pair in named):
                return None
            return New(target, tuple(positional), tuple(named))  # type: ignore[arg-type]
        case ast.Name() | ast.Attribute():
            return _named(node, kind)
    try:
        return expression_of(ast.literal_eval(node))
    except ValueError:
        return None


def _named(node: ast.expr, kind: type) -> Imported | None:
    """Return the object that a name in a `repr` stands for, which must be defined near the class of the value."""
    *_, name = parts = ast.unparse(node).split(".")
    if name == name_of(kind):
        return imported(kind)
    module = sys.modules.get(module_of(kind))
    for space in (module, sys.modules.get(parts[0]), builtins):
        found = getattr(space, name, None)
        if found is not None and (result := imported(found)) is not None:
            return result
    return Imported(parts[0], ".".join(parts[1:])) if parts[0] in sys.modules and len(parts) > 1 else None
