"""Whether a parameter accepts an object of the test: the shared object, a second instance, or an earlier result."""

from __future__ import annotations

import inspect
import types
import typing
from enum import Enum
from typing import Any

from raddle.generation.package_classes import attributes_of, is_protocol, members_of
from raddle.generation.surface import Parameter
from raddle.generation.usage import Usage, Use
from raddle.inspection import class_attribute, mro, name_of

_NUMBERS = (int, float)
_TEXTS = (str, bytes)
_CONSTANTS = (bool, *_NUMBERS, *_TEXTS)


class Acceptance(Enum):
    """Whether a parameter accepts the instances of a class."""

    NO = 0
    MAYBE = 1  # nothing is known about the parameter
    YES = 2


def acceptance(parameter: Parameter, usage: Usage, kind: type) -> Acceptance:
    """Return whether a parameter accepts instances of a class, judged by its hint or else by its usage.

    >>> items = Parameter("items", inspect.Parameter.POSITIONAL_ONLY, list)
    >>> acceptance(items, Usage(), list), acceptance(items, Usage(), set)
    (<Acceptance.YES: 2>, <Acceptance.NO: 0>)
    """
    if parameter.hint in (inspect.Parameter.empty, Any, object) or _is_unlimited(parameter.hint):
        return _by_usage(usage, kind) if _suits_default(parameter.default, kind) else Acceptance.NO
    return Acceptance.YES if fits(parameter.hint, kind) else Acceptance.NO


def names_class(hint: Any, kind: type) -> bool:
    """Return whether a hint names a class or one of its base classes. Protocols and abstract containers do not count.

    >>> from collections import OrderedDict
    >>> names_class(dict | None, OrderedDict), names_class(typing.Iterable[int], OrderedDict)
    (True, False)
    """
    if isinstance(hint, str):
        return any(name_of(base) == hint.rpartition(".")[2] for base in mro(kind))
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return any(names_class(part, kind) for part in typing.get_args(hint))
    if origin is typing.Annotated:
        return names_class(typing.get_args(hint)[0], kind)
    cls = hint if origin is None else origin
    return hint is typing.Self or (cls in mro(kind) and cls is not object and not is_protocol(cls))


def _is_unlimited(hint: Any) -> bool:
    """Return whether a hint is a type variable that stands for any type, such as the type of the keys of a mapping."""
    return isinstance(hint, typing.TypeVar) and hint.__bound__ is None and not hint.__constraints__


def fits(hint: Any, kind: type) -> bool:
    """Return whether the instances of a class are what a type hint asks for.

    >>> fits(float, int), fits(int, float), fits("Cart", type("Cart", (), {}))
    (True, False, True)
    """
    if isinstance(hint, str):
        return any(name_of(base) == hint.rpartition(".")[2] for base in mro(kind))
    if isinstance(hint, typing.TypeVar):
        return _is_unlimited(hint) or any(fits(choice, kind) for choice in hint.__constraints__ or (hint.__bound__,))
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return any(fits(part, kind) for part in typing.get_args(hint))
    if origin is typing.Annotated:
        return fits(typing.get_args(hint)[0], kind)
    cls = hint if origin is None else origin
    if hint is typing.Self or not inspect.isclass(cls):
        return False
    if is_protocol(cls):
        return members_of(cls) <= attributes_of(kind)
    try:
        # Type checkers accept an int where a float is expected.
        return issubclass(kind, _NUMBERS if cls is float else cls)
    except Exception:  # code of a metaclass
        return False


def _suits_default(default: Any, kind: type) -> bool:
    """Return whether an instance can replace the default value: a callable a callable, a constant a similar one."""
    if default is None or default is inspect.Parameter.empty:
        return True
    if type(default) in _CONSTANTS:
        return issubclass(kind, _NUMBERS if type(default) in _NUMBERS else type(default))
    return not callable(default) or class_attribute(kind, "__call__") is not None


def _by_usage(usage: Usage, kind: type) -> Acceptance:
    instances = usage.details(Use.INSTANCE)
    if any(fits(cls, kind) for cls in instances):
        return Acceptance.YES
    if usage.attributes:
        return _yes(usage.attributes <= attributes_of(kind))
    if usage.has(Use.CALLED):
        return _yes(class_attribute(kind, "__call__") is not None)
    if usage.has(Use.ARITHMETIC, Use.ORDERED):
        return _yes(kind in _NUMBERS)
    if usage.has(Use.ITERATED, Use.UNPACKED, Use.CONTAINER, Use.INDEXED):
        return _yes(class_attribute(kind, "__iter__") is not None and kind not in _TEXTS)
    if usage.has(Use.MAPPING):
        return _yes(class_attribute(kind, "keys") is not None)
    if usage.has(Use.CONTEXT):
        return _yes(class_attribute(kind, "__enter__") is not None)
    if usage.is_flag:
        return _yes(kind is bool)
    if usage.has(Use.KEY) and class_attribute(kind, "__hash__") is None:
        return Acceptance.NO
    return Acceptance.MAYBE


def _yes(answer: bool) -> Acceptance:
    return Acceptance.YES if answer else Acceptance.NO
