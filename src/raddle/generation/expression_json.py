"""Stores expressions as JSON."""

from __future__ import annotations

import ast
from typing import Any

from raddle.generation.expressions import (
    Callback,
    Container,
    Expression,
    Imported,
    Literal,
    New,
    Stub,
    TemporaryPath,
    Variable,
)


def to_json(expression: Expression) -> list[Any]:
    """Return an expression as lists and strings.

    >>> to_json(Container("list", (Literal(b"a"),)))
    ['container', 'list', [['literal', "b'a'"]]]
    """
    match expression:
        case Literal(value):
            return ["literal", repr(value)]
        case Imported(module, name):
            return ["imported", module, name]
        case Variable(name):
            return ["variable", name]
        case Container(kind, items):
            return ["container", kind, list(map(to_json, items))]
        case New(function, arguments, keywords):
            named = [[name, to_json(value)] for name, value in keywords]
            return ["new", to_json(function), list(map(to_json, arguments)), named]
        case Callback(name, returns):
            return ["callback", name, to_json(returns)]
        case Stub(attributes, hashable):
            return ["stub", [[name, to_json(value)] for name, value in attributes], hashable]
        case TemporaryPath(name):
            return ["path", name]


def from_json(data: list[Any]) -> Expression:
    """Return the expression that `to_json` has stored; raise `ValueError` for anything else.

    >>> from_json(to_json(Callback("done", Literal(1))))
    Callback(name='done', returns=Literal(value=1))
    """
    match data:
        case ["literal", str(text)]:
            return Literal(ast.literal_eval(text))
        case ["imported", str(module), str(name)]:
            return Imported(module, name)
        case ["variable", str(name)]:
            return Variable(name)
        case ["container", str(kind), [*items]]:
            return Container(kind, tuple(map(from_json, items)))
        case ["new", function, [*arguments], [*named]]:
            target = from_json(function)
            assert isinstance(target, Imported)
            return New(
                target, tuple(map(from_json, arguments)), tuple((name, from_json(value)) for name, value in named)
            )
        case ["callback", str(name), returns]:
            return Callback(name, from_json(returns))
        case ["stub", [*attributes], bool(hashable)]:
            return Stub(tuple((name, from_json(value)) for name, value in attributes), hashable)
        case ["path", str(name)]:
            return TemporaryPath(name)
    raise ValueError(f"not an expression: {data!r:.80}")
