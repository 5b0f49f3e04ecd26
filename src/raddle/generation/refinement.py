"""What an exception reveals about an argument that did not suit."""

from __future__ import annotations

from collections.abc import Iterator

from raddle.generation.error_messages import facts_in
from raddle.generation.expressions import (
    Callback,
    Container,
    Expression,
    Fake,
    Imported,
    Literal,
    New,
    Stub,
    TemporaryPath,
)
from raddle.generation.usage import Fact, Usage, Use

_UNKNOWN = Usage()
_MAX_DEPTH = 4  # values inside an argument that are nested more deeply are not examined


def revealed(error: BaseException, expression: Expression, usage: Usage = _UNKNOWN) -> tuple[Fact, ...]:
    """Return the uses of an argument that an exception reveals; none if the argument is not to blame.

    `usage` is what is known already. The items of a text that is iterated are texts, too.

    >>> revealed(AttributeError("'str' object has no attribute 'key'"), Literal("a"))[0].detail
    'key'
    >>> revealed(AttributeError("'str' object has no attribute 'key'"), Literal(1))
    ()
    """
    if isinstance(expression, Literal) and type(expression.value) is str and usage.has(Use.ITERATED, Use.INDEXED):
        expression = Container("list", (expression,))
    return _revealed(str(error), expression, _MAX_DEPTH)


def _revealed(message: str, expression: Expression, depth: int) -> tuple[Fact, ...]:
    value = expression.value if isinstance(expression, Literal) else None
    found = facts_in(message, _type_name(expression), value)
    if found or not depth:
        return found
    return tuple(
        fact
        for use, step, part in _parts(expression)
        if (inner := _revealed(message, part, depth - 1))
        for fact in (use, *(Fact((step, *one.path), one.use, one.detail) for one in inner))
    )


def _parts(expression: Expression) -> Iterator[tuple[Fact, str, Expression]]:
    """Yield the values inside an expression that may be to blame, each with its use and the step to it."""
    match expression:
        case Container(kind, (first, *_)) if kind != "dict":
            yield Fact((), Use.ITERATED), "item", first
        case Callback(_, returns):
            yield Fact((), Use.CALLED), "result", returns
        case Imported():  # a class, of which there may be an instance
            yield Fact((), Use.CALLED), "result", New(expression)
        case Stub(attributes, _):
            for name, value in attributes:
                yield Fact((), Use.ATTRIBUTE, name), f".{name}", value


def _type_name(expression: Expression) -> str:
    """Return the name of the class of an expression's value, as messages show it."""
    match expression:
        case Literal(value):
            return type(value).__name__
        case Container(kind, _):
            return kind
        case New(function, _, _):
            return function.name.rpartition(".")[2]
        case Callback():
            return "function"
        case Stub(_, hashable):
            return Fake.__name__ if hashable else "types.SimpleNamespace"
        case TemporaryPath():
            return "str"
        case Imported():
            return "type"
    return ""
