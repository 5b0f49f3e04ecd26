"""Public constants of a class and of its module, as guesses for a parameter."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Mapping
from enum import Enum
from inspect import Parameter as Signature
from typing import Any

from raddle.generation.acceptance import Acceptance, acceptance
from raddle.generation.contradiction import contradicts
from raddle.generation.expressions import Expression, Imported
from raddle.generation.guesses import Guess
from raddle.generation.package_classes import imported
from raddle.generation.paths import is_safe
from raddle.generation.surface import Parameter
from raddle.generation.usage import Usage
from raddle.generation.written import expression_of
from raddle.inspection import class_attribute, fields_of, module_of, mro

MAX_BY_NAME = 8  # constants for one parameter whose names fit
MAX_BY_TYPE = 3  # constants for one parameter of which only the type fits
NAME_WEIGHT = 6.0
_SCALARS = (bool, int, float, str, bytes)
_COLLECTIONS = (tuple, list, set, frozenset)


def constants_for(cls: type, parameter: Parameter, usage: Usage) -> list[Guess]:
    """Return guesses for the constants that suit a parameter, those whose names fit first.

    >>> import re
    >>> flags = Parameter("re_multiline", Signature.KEYWORD_ONLY)
    >>> constants_for(re.Scanner, flags, Usage())[0].expression
    Imported(module='re', name='RegexFlag.MULTILINE')
    """
    by_name: dict[Expression, None] = {}
    by_type: dict[Expression, None] = {}
    for name, value, place in _constants(cls):
        if _names_fit(name, parameter.name):
            for item in _values(value):
                by_name.update(dict.fromkeys(_suitable(item, parameter, place if item is value else None)))
        elif len(by_type) < MAX_BY_TYPE and _type_fits(value, parameter, usage):
            by_type.update(dict.fromkeys(_suitable(value, parameter, place)))
    return [
        *(Guess(expression, NAME_WEIGHT) for expression in list(by_name)[:MAX_BY_NAME]),
        *(Guess(expression) for expression in by_type),
    ]


def named_constant(name: str, names: Mapping[str, Any], cls: type | None = None) -> tuple[Any, ...]:
    """Return the values of the constant that a dotted name stands for: its items, if it is a collection.

    Args:
        name: As in the source, such as "FAST", "self.FAST" or "modes.FAST".
        names: The names of the module.
        cls: The class to which the source belongs.

    >>> named_constant("SIZES", {"SIZES": (1, 2)}), named_constant("missing", {})
    ((1, 2), ())
    """
    first, *rest = name.split(".")
    found = cls if first in ("self", "cls") and cls is not None else names.get(first)
    for part in rest:
        found = _member(found, part)
    return tuple(_values(found)) if found is not None else ()


def _member(owner: Any, name: str) -> Any:
    """Return an attribute of a module or class; None if there is none."""
    if inspect.ismodule(owner):
        return vars(owner).get(name)
    if not inspect.isclass(owner):
        return None
    return owner.__members__.get(name) if issubclass(owner, Enum) else class_attribute(owner, name)


def _constants(cls: type) -> Iterator[tuple[str, Any, Imported | None]]:
    """Yield the public constants with their names and the places from which they can be imported."""
    for base in mro(cls):
        owner = imported(base)
        for name, value in list(fields_of(base).items()):
            if _is_constant(name, value):
                yield name, value, None if owner is None else Imported(owner.module, f"{owner.name}.{name}")
    module = sys.modules.get(module_of(cls))
    for name, value in list(vars(module).items()) if module is not None else ():
        if _is_constant(name, value):
            yield name, value, Imported(module_of(cls), name)


def _is_constant(name: str, value: Any) -> bool:
    return name.isupper() and not name.startswith("_") and value is not None and not callable(value)


def _names_fit(constant: str, parameter: str) -> bool:
    """Return whether the name of a constant contains the last word of the name of a parameter.

    >>> _names_fit("LOG_LEVELS", "level"), _names_fit("PRIORITIES", "priority"), _names_fit("LEVEL", "lever")
    (True, True, False)
    """
    *_, word = parameter.lower().strip("_").split("_")
    return _singular(word) in {_singular(one) for one in constant.lower().split("_")}


def _singular(word: str) -> str:
    return re.sub(r"(?<=\w\w)s$", "", re.sub(r"ies$", "y", word))


def _values(value: Any) -> Iterator[Any]:
    """Yield a value, or the items of a collection, or the keys of a dictionary."""
    if isinstance(value, (*_COLLECTIONS, dict)):
        yield from sorted(value, key=repr) if isinstance(value, (set, frozenset)) else list(value)
    else:
        yield value


def _type_fits(value: Any, parameter: Parameter, usage: Usage) -> bool:
    kind, default = type(value), parameter.default
    if kind is bool:  # both truth values are guessed anyway
        return False
    if parameter.hint is Signature.empty and type(default) in _SCALARS:
        return kind is type(default)
    return acceptance(parameter, usage, kind) is Acceptance.YES


def _suitable(value: Any, parameter: Parameter, place: Imported | None) -> Iterator[Expression]:
    """Yield the expression for a constant, unless it contradicts the hint or the default value."""
    expression = expression_of(value)
    found = place if expression is None else expression
    default = parameter.default
    is_other = parameter.hint is Signature.empty and type(default) in _SCALARS and type(value) is not type(default)
    if found is not None and is_safe(found) and not is_other and not contradicts(found, parameter.hint):
        yield found
