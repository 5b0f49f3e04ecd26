"""What an exception reveals about an argument that did not suit."""

from __future__ import annotations

import re

from raddle.generation.expressions import (
    Callback,
    Container,
    Expression,
    Imported,
    Literal,
    New,
    Stub,
    TemporaryPath,
)
from raddle.generation.usage import Fact, Use

_WANTED: tuple[tuple[str, Use], ...] = (  # messages that name the type of the value that did not suit
    (r"'(\w+)' object is not callable", Use.CALLED),
    (r"'(\w+)' object is not iterable", Use.ITERATED),
    (r"argument of type '(\w+)' is not (?:iterable|a container)", Use.CONTAINER),
    (r"'(\w+)' object is not subscriptable", Use.INDEXED),
    (r"'(\w+)' object does not support item", Use.INDEXED),
    (r"(?i:argument|value) after \*\* must be a mapping, not (\w+)", Use.MAPPING),
    (r"(?i:argument|value) after \* must be an iterable, not (\w+)", Use.ITERATED),
    (r"'(\w+)' object does not support the context manager", Use.CONTEXT),
    (r"not supported between instances of '\w+' and '(\w+)'", Use.ORDERED),
    (r"not supported between instances of '(\w+)' and '\w+'", Use.ORDERED),
    (r"unsupported operand type\(s\) for .*: '\w+' and '(\w+)'", Use.ARITHMETIC),
    (r"unsupported operand type\(s\) for .*: '(\w+)' and '\w+'", Use.ARITHMETIC),
    (r"exceptions must derive from (?=BaseException)()", Use.RAISED),
)
_ATTRIBUTE = re.compile(r"'(\w+)' object has no attribute '(\w+)'")
_UNPACK = re.compile(r"cannot unpack non-iterable (\w+) object")
_UNPACK_COUNT = re.compile(r"values to unpack \(expected (\d+)")
_INSTANCE = re.compile(
    r"(?:must be|expected|requires?|should be)(?: an?)? (str|int|float|bytes|dict|list|tuple|set|bool)\w*"
    r"(?: instance| object)?,? (?:not|found|got|but got|\w+ found)",
)
_BYTES = re.compile(r"a (bytes)-like object(?: is required|, )")
_CLASSES: dict[str, type] = {cls.__name__: cls for cls in (str, int, float, bytes, dict, list, tuple, set, bool)}


def revealed(error: BaseException, expression: Expression) -> tuple[Fact, ...]:
    """Return the uses of an argument that an exception reveals; none if the argument is not to blame.

    >>> revealed(AttributeError("'str' object has no attribute 'key'"), Literal("a"))[0].detail
    'key'
    >>> revealed(AttributeError("'str' object has no attribute 'key'"), Literal(1))
    ()
    """
    found = _facts(str(error), _type_name(expression))
    if found or not isinstance(expression, Container) or not expression.items or expression.kind == "dict":
        return found
    inner = revealed(error, expression.items[0])  # an item of the container may be to blame
    if not inner:
        return ()
    return (Fact((), Use.ITERATED), *(Fact(("item", *fact.path), fact.use, fact.detail) for fact in inner))


def _facts(message: str, kind: str) -> tuple[Fact, ...]:
    if (found := _ATTRIBUTE.search(message)) and found[1] == kind:
        return (Fact((), Use.ATTRIBUTE, found[2]),)
    if (found := _UNPACK.search(message)) and found[1] == kind:
        return (Fact((), Use.UNPACKED, 2),)
    if (found := _UNPACK_COUNT.search(message)) and kind in ("str", "tuple"):
        return (Fact((), Use.UNPACKED, int(found[1])),)
    if (found := _INSTANCE.search(message) or _BYTES.search(message)) and found[1] != kind:
        return (Fact((), Use.INSTANCE, _CLASSES[found[1]]),)
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
        case Stub():
            return "SimpleNamespace"
        case TemporaryPath():
            return "str"
        case Imported():
            return "type"
    return ""
