"""Guesses for type hints."""

from __future__ import annotations

import collections
import collections.abc as abc
import enum
import inspect
import io
import os
import types
import typing
from typing import Any

from raddle.generation.expressions import Container, Expression, Imported, Literal, New, TemporaryPath
from raddle.generation.guesses import (
    BOOLS,
    BYTES,
    EXCEPTIONS,
    FLOATS,
    INTS,
    NONE,
    STREAMS,
    STRINGS,
    Guess,
    Guessing,
    callbacks,
    containers,
    mappings,
    merged,
    weighted,
)
from raddle.generation.package_classes import imported
from raddle.generation.strategy_values import from_registered_strategy, from_strategy, is_constrained
from raddle.generation.written import expression_of
from raddle.inspection import module_of

_SCALARS: dict[Any, list[Guess]] = {
    bool: BOOLS,
    int: INTS,
    float: FLOATS,
    str: STRINGS,
    bytes: BYTES,
    None: [NONE],
    types.NoneType: [NONE],
    BaseException: EXCEPTIONS,
    Exception: EXCEPTIONS,
    typing.IO: STREAMS,
    typing.TextIO: STREAMS[1:],
    typing.BinaryIO: STREAMS[:1],
    io.IOBase: STREAMS,
    io.RawIOBase: STREAMS[:1],
    io.BufferedIOBase: STREAMS[:1],
    io.TextIOBase: STREAMS[1:],
    abc.Hashable: [*STRINGS[:3], *INTS[:3]],
}
_NOTHING = (Any, object, inspect.Parameter.empty, typing.Self)  # hints that say nothing
_SEQUENCES = {
    "list": (list, abc.Iterable, abc.Collection, abc.Sequence, abc.MutableSequence, abc.Container, abc.Reversible),
    "set": (set, abc.Set, abc.MutableSet),
    "frozenset": (frozenset,),
    "deque": (collections.deque,),
}
_MAPPINGS = (dict, abc.Mapping, abc.MutableMapping, collections.OrderedDict, collections.defaultdict)
_KINDS = {cls: kind for kind, classes in _SEQUENCES.items() for cls in classes}
# Modules whose classes are values that Hypothesis can create without side effects.
_VALUE_MODULES = frozenset(
    {"builtins", "datetime", "decimal", "fractions", "ipaddress", "numbers", "re", "typing", "uuid", "zoneinfo"}
)
_ALIAS: Any = getattr(typing, "TypeAliasType", ())  # `type Name = ...`, since Python 3.12
_VARIANTS = 2  # dictionaries for each `TypedDict`


def guess_by_hint(hint: Any, name: str, guessing: Guessing, depth: int) -> list[Guess]:
    """Return guesses for a resolved type hint; none if the hint says nothing."""
    if any(hint is nothing for nothing in _NOTHING) or isinstance(hint, (typing.ParamSpec, str)):
        return []
    if isinstance(hint, typing.TypeVar):
        return guessing.by_hint(_of_type_variable(hint), name, depth)
    if isinstance(hint, typing.NewType):
        return from_registered_strategy(hint) or guessing.by_hint(hint.__supertype__, name, depth)
    if isinstance(hint, _ALIAS):
        return guessing.by_hint(hint.__value__, name, depth)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is None:
        return _of_class(hint, name, guessing, depth)
    if origin is typing.Annotated and is_constrained(hint) and (found := from_strategy(hint)):
        return found
    if origin in (typing.Annotated, typing.Final, typing.ClassVar, typing.Required, typing.NotRequired):
        return guessing.by_hint(arguments[0], name, depth)
    if origin in (typing.Union, types.UnionType):
        return [guess for part in arguments for guess in guessing.by_hint(part, name, depth)]
    if origin is typing.Literal:
        return weighted(dict.fromkeys(arguments, 4.0))
    if origin is type:
        return _classes(arguments[0], guessing)
    if origin is abc.Callable:
        return callbacks(name, guessing.by_hint(arguments[-1], name, depth + 1) if arguments else ())
    if origin is tuple:
        return _tuples(arguments, name, guessing, depth)
    if origin in (abc.Iterator, abc.Generator):
        lists = containers("list", _items(arguments[:1], name, guessing, depth))
        return [Guess(New(Imported("builtins", "iter"), (guess.expression,)), guess.weight) for guess in lists]
    if origin in _MAPPINGS:
        keys, values = (_items(arguments[number : number + 1], name, guessing, depth) for number in (0, 1))
        return mappings(keys, values)
    if origin in _KINDS:
        return containers(_KINDS[origin], _items(arguments[:1], name, guessing, depth))
    return _of_class(origin, name, guessing, depth)


def _of_type_variable(variable: Any) -> Any:
    constraints = variable.__constraints__
    return constraints[0] if constraints else variable.__bound__ or Any


def _items(arguments: tuple[Any, ...], name: str, guessing: Guessing, depth: int) -> list[Guess]:
    hinted = guessing.by_hint(arguments[0], name.rstrip("s"), depth + 1) if arguments else []
    return hinted or STRINGS[:3]


def _tuples(parts: tuple[Any, ...], name: str, guessing: Guessing, depth: int) -> list[Guess]:
    if len(parts) == 2 and parts[1] is Ellipsis:
        return containers("tuple", _items(parts[:1], name, guessing, depth))
    columns = [_items((part,), name, guessing, depth) for part in parts]
    return rows("tuple", columns)


def rows(kind: str, columns: list[list[Guess]]) -> list[Guess]:
    """Return guesses for containers with one item of each column.

    >>> [guess.expression.items[0].value for guess in rows("tuple", [STRINGS, INTS])]
    ['a', 'b', 'c']
    """
    count = min(3, max(map(len, columns), default=1))
    return [
        Guess(Container(kind, tuple(column[number % len(column)].expression for column in columns)), 6 - number)
        for number in range(count)
        if all(columns)
    ]


def _of_class(cls: Any, name: str, guessing: Guessing, depth: int) -> list[Guess]:
    """Return guesses for a class, or for a special form of `typing` without parameters."""
    if any(cls is known for known in _SCALARS if known is not None) or cls is None:
        return _SCALARS[cls]
    if cls is tuple:
        return containers("tuple", STRINGS)
    if any(cls is known for known in (*_KINDS, *_MAPPINGS, abc.Iterator, abc.Generator)):
        return guess_by_hint(types.GenericAlias(cls, ()), name, guessing, depth)
    if cls in (abc.Callable, typing.Callable):
        return callbacks(name)
    if not inspect.isclass(cls):
        return from_strategy(cls) if getattr(cls, "__module__", "") in _VALUE_MODULES else []
    if cls is type:
        return _classes(Exception, guessing)
    if typing.is_typeddict(cls):
        return _typed_dicts(cls, guessing, depth)
    if registered := from_registered_strategy(cls):
        return registered
    if issubclass(cls, enum.Enum):
        return [Guess(one, 4) for member in cls if (one := expression_of(member)) is not None]
    if is_path_class(cls):
        return [Guess(path_of(name, cls), weight) for name, weight in {"a": 4, "b": 3}.items()]
    if module_of(cls) in _VALUE_MODULES and (found := from_strategy(cls)):
        return found
    return guessing.instances(cls, depth)


def _typed_dicts(cls: Any, guessing: Guessing, depth: int) -> list[Guess]:
    """Return guesses for dictionaries with all keys that a `TypedDict` requires."""
    hints = typing.get_type_hints(cls, include_extras=True)
    # If annotations are texts, `__required_keys__` contains the keys that are `NotRequired`, too.
    required = (key for key in cls.__required_keys__ if typing.get_origin(hints[key]) is not typing.NotRequired)
    columns = {key: _items((hints[key],), key, guessing, depth) for key in sorted(required)}
    guesses = []
    for number in range(_VARIANTS):
        pairs = ((Literal(key), column[number % len(column)].expression) for key, column in columns.items())
        guesses.append(Guess(Container("dict", tuple(part for pair in pairs for part in pair)), 6 - number))
    return merged(guesses)


def _classes(base: Any, guessing: Guessing) -> list[Guess]:
    if not inspect.isclass(base) or base is object:
        base = Exception
    found = [expression.function for guess in guessing.instances(base, 0)
             if isinstance(expression := guess.expression, New)]  # fmt: skip
    own = imported(base)
    return [Guess(one, 4) for one in dict.fromkeys([*([] if own is None else [own]), *found])]


def is_path_class(cls: Any) -> bool:
    """Return whether instances of a class are paths.

    >>> import pathlib
    >>> is_path_class(pathlib.Path), is_path_class(os.PathLike), is_path_class(str)
    (True, True, False)
    """
    return inspect.isclass(cls) and (cls is os.PathLike or (issubclass(cls, os.PathLike) and module_of(cls) != "os"))


def path_of(name: str, cls: Any = str) -> Expression:
    """Return the expression for a path in the temporary folder; a `pathlib.Path` if the class requires one."""
    path = TemporaryPath(name)
    return New(Imported("pathlib", "Path"), (path,)) if is_path_class(cls) and cls is not os.PathLike else path
