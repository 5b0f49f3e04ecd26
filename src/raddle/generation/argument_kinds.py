"""Kinds of arguments: what distinguishes the arguments of a call apart from their values."""

from __future__ import annotations

from typing import TypeAlias

from raddle.generation.expressions import Expression, Imported, Literal, New
from raddle.generation.testcase import Call

ArgumentKinds: TypeAlias = tuple[str, ...]


def argument_kinds(call: Call) -> ArgumentKinds:
    """Return the kinds of the arguments of a call.

    None is a kind of its own, because methods often treat it differently from all other values. Other literals are all
    of one kind.

    >>> from raddle.generation.surface import Method, MethodKind
    >>> put = Method("put", MethodKind.METHOD, Imported("shop", "Cart"))
    >>> argument_kinds(Call(put, (Literal("a"), Literal(None)))), argument_kinds(Call(put, (Literal(1), Literal(2))))
    (('Literal', 'None'), ('Literal', 'Literal'))
    """
    keywords = (f"{name}={_kind(value)}" for name, value in call.keywords)
    return (*map(_kind, call.arguments), *keywords)


def _kind(value: Expression) -> str:
    match value:
        case Literal(None):
            return "None"
        case New(Imported() as function):
            return function.name
        case _:
            return type(value).__name__
