"""What an exception reveals about an argument that did not suit."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator

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

_WANTED: tuple[tuple[str, Use], ...] = (  # messages that name the type of the value that did not suit
    (r"'(\w+)' object is not callable", Use.CALLED),
    (r"'(\w+)' object is not iterable", Use.ITERATED),
    (r"argument of type '(\w+)' is not (?:iterable|a container)", Use.CONTAINER),
    (r"'(\w+)' object is not subscriptable", Use.INDEXED),
    (r"'(\w+)' object does not support item", Use.INDEXED),
    (r"(?i:argument|value) after \*\* must be a mapping, not (\w+)", Use.MAPPING),
    (r"(?i:argument|value) after \* must be an iterable, not (\w+)", Use.ITERATED),
    (r"'(\w+)' object does not support the context manager", Use.CONTEXT),
    (r"unhashable type: '([\w.]+)'", Use.KEY),
    (r"exceptions must derive from (?=BaseException)()", Use.RAISED),
)
_OPERANDS: tuple[tuple[re.Pattern[str], Use], ...] = (  # messages that name the types of two operands
    (re.compile(r"not supported between instances of '([\w.]+)' and '([\w.]+)'"), Use.ORDERED),
    (re.compile(r"unsupported operand type\(s\) for .*: '([\w.]+)' and '([\w.]+)'"), Use.ARITHMETIC),
)
_SUITABLE: dict[tuple[Use, str], type] = {  # the type that suits an operand of a type; numbers suit all others
    (Use.ORDERED, "str"): str,
    (Use.ORDERED, "bytes"): bytes,
    (Use.ORDERED, "tuple"): tuple,
    (Use.ORDERED, "list"): list,
    (Use.ORDERED, "datetime.date"): datetime.date,
    (Use.ORDERED, "datetime.datetime"): datetime.datetime,
    (Use.ORDERED, "datetime.timedelta"): datetime.timedelta,
    (Use.ARITHMETIC, "datetime.date"): datetime.timedelta,
    (Use.ARITHMETIC, "datetime.datetime"): datetime.timedelta,
    (Use.ARITHMETIC, "datetime.timedelta"): datetime.timedelta,
}
_ATTRIBUTE = re.compile(r"'([\w.]+)' object has no attribute '(\w+)'")
_UNKNOWN = Usage()
_MAX_DEPTH = 4  # values inside an argument that are nested more deeply are not examined
_UNPACK = re.compile(r"cannot unpack non-iterable (\w+) object")
_UNPACK_COUNT = re.compile(r"values to unpack \(expected (\d+)")
_INSTANCE = re.compile(
    r"(?:must be|expected|requires?|should be)(?: an?)? (str|int|float|bytes|dict|list|tuple|set|bool)\w*"
    r"(?: instance| object)?,? (?:not|found|got|but got|\w+ found)",
)
_BYTES = re.compile(r"a (bytes)-like object(?: is required|, )")
_CLASSES: dict[str, type] = {cls.__name__: cls for cls in (str, int, float, bytes, dict, list, tuple, set, bool)}


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
    found = _facts(message, _type_name(expression))
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


def _facts(message: str, kind: str) -> tuple[Fact, ...]:
    if (found := _ATTRIBUTE.search(message)) and found[1] == kind:
        return (Fact((), Use.ATTRIBUTE, found[2]),)
    if (found := _UNPACK.search(message)) and found[1] == kind:
        return (Fact((), Use.UNPACKED, 2),)
    if (found := _UNPACK_COUNT.search(message)) and kind in ("str", "tuple"):
        return (Fact((), Use.UNPACKED, int(found[1])),)
    if (found := _INSTANCE.search(message) or _BYTES.search(message)) and found[1] != kind:
        return (Fact((), Use.INSTANCE, _CLASSES[found[1]]),)
    for operands, use in _OPERANDS:
        if (found := operands.search(message)) and kind in found.groups():
            other = found[2] if kind == found[1] else found[1]
            suitable = _SUITABLE.get((use, other))
            return (Fact((), use) if suitable is None else Fact((), Use.INSTANCE, suitable),)
    for pattern, use in _WANTED:
        if (found := re.search(pattern, message)) and found[1] in (kind, ""):
            return (Fact((), use),)
    return ()


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
