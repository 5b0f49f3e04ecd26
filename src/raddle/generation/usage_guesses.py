"""Guesses from what the source does with a value."""

from __future__ import annotations

import collections
import concurrent.futures
import datetime
import inspect
import io
import queue
import socket
import threading
from collections.abc import Mapping
from inspect import Parameter
from typing import Any

from raddle.generation.expressions import Callback, Container, Expression, Literal
from raddle.generation.guesses import (
    BOOLS,
    BYTES,
    EXCEPTIONS,
    FLOATS,
    INTS,
    KEYS,
    LOCKS,
    NONE,
    STRINGS,
    Guess,
    Guessing,
    by_name,
    callbacks,
    containers,
    mappings,
    merged,
    stub,
    weighted,
)
from raddle.generation.hint_guesses import rows
from raddle.generation.package_classes import imported
from raddle.generation.usage import Usage, Use

MAX_DEPTH = 3  # guesses are not nested more deeply
# Classes of the standard library that a value may belong to, judged by the attributes that the source uses.
_KNOWN: tuple[type, ...] = (
    str,
    dict,
    list,
    set,
    bytes,
    collections.deque,
    threading.Condition,
    type(threading.RLock()),
    threading.Event,
    threading.Semaphore,
    queue.Queue,
    concurrent.futures.Future,
    io.StringIO,
    io.BytesIO,
    socket.socket,
    datetime.timedelta,
    datetime.datetime,
    BaseException,
)
_VARIANTS = 3  # objects with the same attributes and different values
_STREAM = frozenset({"detach", "fileno"})
_UNSUPPORTED: Mapping[type, frozenset[str]] = {io.StringIO: _STREAM, io.BytesIO: _STREAM}  # methods that always raise
_FACTORIES: Mapping[type, type | Any] = {type(threading.RLock()): threading.RLock}  # classes without a public name
_CALLERS = frozenset(
    {"callable", "Thread", "Timer", "submit", "start_new_thread", "partial"}
)  # functions that get a callable
_BY_FUNCTION: Mapping[str, list[Guess]] = {  # by the last name of the function to which the value is passed
    "int": [*INTS, *weighted({"1": 4, "a": 1})],
    "float": FLOATS,
    "range": INTS,
    "abs": INTS,
    "round": FLOATS,
    "sleep": weighted({0: 3, 0.1: 2, 1: 1}),
    "wait": weighted({None: 2, 0: 3, 1: 2}),
    "timedelta": INTS,
    "str": [*STRINGS, *INTS],
    "repr": [*STRINGS, *INTS],
    "len": [*containers("list", STRINGS), *STRINGS],
    "hash": KEYS,
    "bytes": BYTES,
}


def guess_by_usage(usage: Usage, name: str, guessing: Guessing, depth: int) -> list[Guess]:
    """Return guesses for a value that is used in this way; none if the usage says nothing."""
    if depth > MAX_DEPTH or not usage:
        return []
    found: list[Guess] = []
    for cls in usage.details(Use.INSTANCE):
        found += guessing.by_hint(cls, name, depth + 1)
    if usage.has(Use.NONE):
        found.append(NONE)
    found += weighted(dict.fromkeys(usage.details(Use.COMPARED), 5.0))
    if usage.has(Use.CALLED):
        found += _called(usage, name, guessing, depth)
    elif usage.has(Use.UNPACKED):
        found += _unpacked(usage, name, guessing, depth)
    elif usage.attributes:
        found += _with_attributes(usage, name, guessing, depth)
    elif usage.has(Use.ITERATED, Use.MAPPING, Use.INDEXED, Use.CONTAINER):
        found += _container(usage, name, guessing, depth)
    if usage.is_flag:
        found += BOOLS
    if usage.has(Use.RAISED):
        found += EXCEPTIONS
    if usage.has(Use.SUBCLASS):
        found += guessing.by_hint(type[Exception], name, depth)
    if usage.has(Use.CONTEXT) and not usage.attributes:
        found += LOCKS
    if usage.has(Use.ARITHMETIC, Use.ORDERED):
        found += [*INTS, *(guess.times(0.3) for guess in FLOATS[:5])]
    for function in usage.details(Use.PASSED):
        called = function.rpartition(".")[2]
        found += callbacks(name) if called in _CALLERS else _BY_FUNCTION.get(called, ())
    if found or not usage.has(Use.KEY):
        return found
    named = by_name(name)  # a key may be anything; a name such as `index` or `callback` is better evidence
    return [*named, *(guess.times(0.3 if named else 1) for guess in KEYS)]


def _called(usage: Usage, name: str, guessing: Guessing, depth: int) -> list[Guess]:
    """Return guesses for a callable: classes, if attributes of the result are used, and callbacks."""
    result = usage.at("result")
    found = []
    if result.attributes:
        for cls in _classes_with(result.attributes, guessing)[:2]:
            expression = imported(_FACTORIES.get(cls, cls))
            if expression is not None:
                found.append(Guess(expression, 6))
        # An instance may need more than its class shows, such as a server. An object made for the test needs nothing.
        returned = [guess.times(10) for guess in _stubs(result, f"{name}_result", guessing, depth + 1)]
    else:
        returned = guessing.by_usage(result, f"{name}_result", depth + 1)
    return [*found, *callbacks(name, returned)]


def _unpacked(usage: Usage, name: str, guessing: Guessing, depth: int) -> list[Guess]:
    found = []
    for count in usage.details(Use.UNPACKED):
        parts = [guessing.by_usage(usage.at(str(number)), f"{name}_{number}", depth + 1) for number in range(count)]
        found += rows("tuple", [part or STRINGS[:3] for part in map(merged, parts)])
    return found


def _container(usage: Usage, name: str, guessing: Guessing, depth: int) -> list[Guess]:
    indices = usage.details(Use.INDEXED)
    items = merged(guessing.by_usage(usage.at("item"), name.rstrip("s"), depth + 1))
    keys = [index for index in indices if isinstance(index, str)]
    if keys:  # the source reads certain keys
        value: Expression = items[0].expression if items else Literal(1)
        return [Guess(Container("dict", tuple(part for key in keys for part in (Literal(key), value))), 6)]
    if usage.has(Use.MAPPING):
        return mappings(STRINGS, items or INTS)
    found = containers("list", items or STRINGS[:3])
    return found if usage.has(Use.ITERATED) or indices else [*found, *mappings(STRINGS, items or INTS)]


def _with_attributes(usage: Usage, name: str, guessing: Guessing, depth: int) -> list[Guess]:
    found: list[Guess] = []
    suitable = [cls for cls in _classes_with(usage.attributes, guessing) if _accepts_keywords(cls, usage)]
    for number, cls in enumerate(suitable[:3]):
        known = guessing.by_hint(cls, name, depth + 1) if cls in _KNOWN else guessing.instances(cls, depth + 1)
        found += (guess.times(1 / (number + 1)) for guess in known)
    if not found or not all(hasattr(str, attribute) for attribute in usage.attributes):
        found += _stubs(usage, name, guessing, depth)
    return found


def _classes_with(attributes: frozenset[str], guessing: Guessing) -> list[type]:
    return [
        *guessing.with_attributes(attributes),
        *(cls for cls in _KNOWN if attributes - _UNSUPPORTED.get(cls, frozenset()) == attributes
          and all(hasattr(cls, attribute) for attribute in attributes)),
    ]  # fmt: skip


def _accepts_keywords(cls: type, usage: Usage) -> bool:
    """Return whether the methods of a class accept the keyword arguments that the source passes to them."""
    for attribute in usage.attributes:
        keywords = usage.at(f".{attribute}").details(Use.KEYWORD)
        try:
            parameters = inspect.signature(getattr(cls, attribute)).parameters if keywords else {}
        except (AttributeError, TypeError, ValueError):  # assigned by `__init__`, or without a signature
            continue
        kinds = {parameter.kind for parameter in parameters.values()}
        named = {name for name, parameter in parameters.items() if parameter.kind is not Parameter.POSITIONAL_ONLY}
        if not named.issuperset(keywords) and Parameter.VAR_KEYWORD not in kinds:
            return False
    return True


def _stubs(usage: Usage, name: str, guessing: Guessing, depth: int) -> list[Guess]:
    """Return guesses for an object that has exactly the attributes that the source uses."""
    attributes: dict[str, list[Expression]] = {}
    for attribute in sorted(usage.attributes):
        inner = usage.at(f".{attribute}")
        if inner.has(Use.CALLED):
            result = merged(guessing.by_usage(inner.at("result"), attribute, depth + 1))
            callback = f"{name}_{attribute}" if name.isidentifier() else attribute
            returned = [guess.expression for guess in result] or [Literal(None)]
            attributes[attribute] = [Callback(callback, value) for value in returned[:_VARIANTS]]
        else:
            values = merged([*guessing.by_usage(inner, attribute, depth + 1), *by_name(attribute)])
            attributes[attribute] = [guess.expression for guess in values] or [Literal(1)]
    hashable = usage.has(Use.KEY)
    variants = (
        {attribute: values[min(number, len(values) - 1)] for attribute, values in attributes.items()}
        for number in range(_VARIANTS)
    )
    return merged(stub(chosen, hashable=hashable).times(1 / (number + 1)) for number, chosen in enumerate(variants))


def for_default(default: Any, expression: Expression | None) -> list[Guess]:
    """Return guesses for a parameter with a default value.

    >>> [guess.expression for guess in for_default(False, Literal(False))]
    [Literal(value=True), Literal(value=False)]
    """
    match default:
        case bool():
            return [Guess(Literal(not default), 6), Guess(Literal(default), 2)]
        case None:
            return [NONE]
        case int():
            return [*INTS, Guess(Literal(default), 2)]
        case float():
            return [*FLOATS, Guess(Literal(default), 2)]
        case str():
            return [*([] if expression is None else [Guess(expression, 4)]), *STRINGS[:3]]
        case bytes():
            return BYTES
    own = [] if expression is None else [Guess(expression, 3)]
    if isinstance(default, list | tuple | set):
        return [*own, *containers(type(default).__name__, STRINGS)] if type(default) in (list, tuple, set) else own
    return [*own, *mappings(STRINGS, INTS)] if isinstance(default, dict) else own
