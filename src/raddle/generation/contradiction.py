"""Whether a guess contradicts a type hint. A guess from the source or from a name must not overrule the hint."""

from __future__ import annotations

import collections
import collections.abc as abc
import inspect
import types
import typing
from typing import Any

from raddle.generation.acceptance import fits
from raddle.generation.expressions import Callback, Container, Expression, Imported, Literal, New, Stub, TemporaryPath
from raddle.generation.package_classes import is_protocol, members_of
from raddle.inspection import class_attribute

_NOTHING = (Any, object, typing.Self, inspect.Parameter.empty)  # hints that say nothing about a class
_WRAPPERS = (typing.Annotated, typing.Final, typing.ClassVar, typing.Required, typing.NotRequired)
_CONTAINERS: dict[str, type] = {cls.__name__: cls for cls in (list, tuple, set, frozenset, dict, collections.deque)}


def contradicts(expression: Expression, hint: Any) -> bool:
    """Return whether the value of an expression is certainly not what a type hint asks for.

    The expression is not evaluated. A value of an unknown class contradicts nothing.

    >>> contradicts(Literal("a"), int), contradicts(Literal("a"), int | str), contradicts(Literal(1), float)
    (True, False, False)
    >>> contradicts(Container("list", (Literal("a"),)), list[int])
    True
    """
    if any(hint is nothing for nothing in _NOTHING) or isinstance(hint, typing.ParamSpec):
        return False
    if isinstance(hint, typing.NewType):
        return contradicts(expression, hint.__supertype__)
    if isinstance(hint, typing.TypeVar):
        allowed = hint.__constraints__ or ((hint.__bound__,) if hint.__bound__ is not None else ())
        return bool(allowed) and all(contradicts(expression, one) for one in allowed)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in _WRAPPERS:
        return contradicts(expression, arguments[0])
    if origin in (typing.Union, types.UnionType):
        return all(contradicts(expression, part) for part in arguments)
    if origin is typing.Literal:
        return not any(expression == Literal(value) for value in arguments)
    if hint is None:
        return expression != Literal(None)
    if origin is type or hint is type:
        return not _is_class(expression)
    if origin is abc.Callable or hint in (abc.Callable, typing.Callable):
        return not _may_be_called(expression)
    return _contradicts_class(expression, hint) or _has_wrong_item(expression, origin, arguments)


def _is_class(expression: Expression) -> bool:
    return isinstance(expression, Imported) and inspect.isclass(expression.load())


def _may_be_called(expression: Expression) -> bool:
    if isinstance(expression, Imported):
        return callable(expression.load())
    kind = _class_of(expression)
    return kind is None or class_attribute(kind, "__call__") is not None


def _contradicts_class(expression: Expression, hint: Any) -> bool:
    if isinstance(expression, Stub):
        return _misses_members(expression, hint)
    kind, cls = _class_of(expression), typing.get_origin(hint) or hint
    if kind is None or not (inspect.isclass(cls) or isinstance(cls, str)):
        return False
    return not fits(dict if typing.is_typeddict(cls) else hint, kind)


def _misses_members(stub: Stub, hint: Any) -> bool:
    """Return whether an object with these attributes cannot stand for an instance of a class."""
    cls = typing.get_origin(hint) or hint
    if not inspect.isclass(cls) or not (is_protocol(cls) or inspect.isabstract(cls)):
        return not isinstance(hint, str)  # the class of a name that cannot be resolved is not known
    return not members_of(cls) <= {name for name, _ in stub.attributes}


def _has_wrong_item(expression: Expression, origin: Any, arguments: tuple[Any, ...]) -> bool:
    """Return whether an item of a container contradicts the parameters of a hint such as `list[int]`."""
    if not inspect.isclass(origin) or not arguments:
        return False
    match expression:
        case Container("dict", items) if len(arguments) == 2:
            return any(contradicts(item, arguments[number % 2]) for number, item in enumerate(items))
        case Container("tuple", items) if origin is tuple and arguments[-1] is not Ellipsis:
            return len(items) != len(arguments) or any(map(contradicts, items, arguments))
        case Container(kind, items):
            shown = items[::2] if kind == "dict" else items  # iterating over a dictionary yields its keys
            return any(contradicts(item, arguments[0]) for item in shown)
        case Literal(str() as text) if len(arguments) == 1:
            return contradicts(Literal(text[:1]), arguments[0])
    return False


def _class_of(expression: Expression) -> type | None:
    """Return the class of the value of an expression; None if it is not known."""
    match expression:
        case Literal(value):
            return type(value)
        case Container(kind, _):
            return _CONTAINERS[kind]
        case New(function, _, _):
            cls = function.load()
            return cls if inspect.isclass(cls) else None
        case Callback():
            return types.FunctionType
        case TemporaryPath():
            return str
        case Imported():
            return type(expression.load())
    return None
