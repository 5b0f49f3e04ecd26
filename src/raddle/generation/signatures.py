"""The parameters of functions, methods and classes, with type hints as far as they can be resolved."""

from __future__ import annotations

import collections.abc as abc
import inspect
import sys
import typing
from collections.abc import Mapping
from dataclasses import replace
from enum import Enum
from inspect import Parameter as Signature
from typing import Any

from raddle.generation.surface import Parameter
from raddle.inspection import class_attribute, module_of

# Containers in C have methods without a signature. The abstract class has a method with the same meaning that has one.
_MODELS = (abc.MutableMapping, abc.MutableSequence, abc.MutableSet, abc.Mapping, abc.Sequence, abc.Set)

UNKNOWN = (Parameter("arguments", Signature.VAR_POSITIONAL),)  # the parameters of a callable without a signature

_VARIADIC = (Signature.VAR_POSITIONAL, Signature.VAR_KEYWORD)

# The operands of the special methods that tests write as operators, without the receiver.
_OPERANDS: Mapping[str, tuple[str, ...]] = {
    "__getitem__": ("key",),
    "__setitem__": ("key", "value"),
    "__delitem__": ("key",),
    "__contains__": ("item",),
    "__eq__": ("other",),
    "__ne__": ("other",),
    "__lt__": ("other",),
}


def parameters_of(function: Any, *, skip: int = 0) -> tuple[Parameter, ...]:
    """Return the parameters of a function, without the first `skip` ones.

    >>> def wait(self, key: "str", timeout: float | None = None): ...
    >>> [(parameter.name, parameter.hint, parameter.required) for parameter in parameters_of(wait, skip=1)]
    [('key', <class 'str'>, True), ('timeout', float | None, False)]
    """
    found = _signature(function)
    if found is None:
        return UNKNOWN
    hints = hints_of(function)
    parameters = [
        Parameter(name, parameter.kind, hints.get(name, Signature.empty), parameter.default)
        for name, parameter in found.parameters.items()
    ]
    # A method such as `def get(*args)` takes the receiver as one of its variable arguments.
    positional = sum(p.kind in (Signature.POSITIONAL_ONLY, Signature.POSITIONAL_OR_KEYWORD) for p in parameters)
    return tuple(parameters[min(skip, positional) :])


def parameters_of_class(cls: type) -> tuple[Parameter, ...]:
    """Return the parameters of the constructor of a class.

    >>> parameters_of_class(type("Empty", (), {}))
    ()
    """
    if issubclass(cls, Enum):  # calling an enumeration with the value of a member returns the member
        return (Parameter("value", Signature.POSITIONAL_ONLY),)
    function = _constructor(cls)
    if function is None and class_attribute(cls, "__new__") is object.__new__:
        return ()
    found = _signature(cls)
    # The `__call__` of a metaclass often passes all arguments on.
    passes_on = found is not None and all(parameter.kind in _VARIADIC for parameter in found.parameters.values())
    if found is None or (passes_on and function is not None):
        return parameters_of(function, skip=1) if function is not None else UNKNOWN
    hints = hints_of(function) if function is not None else {}
    return tuple(
        Parameter(name, parameter.kind, hints.get(name, Signature.empty), parameter.default)
        for name, parameter in found.parameters.items()
    )


def _constructor(cls: type) -> Any:
    """Return the `__init__` or `__new__` that is written in Python; None if there is none."""
    for name in ("__init__", "__new__"):
        found = class_attribute(cls, name)
        found = found.__func__ if isinstance(found, staticmethod) else found
        if inspect.isfunction(found):
            return found
    return None


def operands_of(name: str, function: Any) -> tuple[Parameter, ...]:
    """Return the parameters of a special method; exactly those that the operator has.

    >>> [str(parameter.name) for parameter in operands_of("__setitem__", lambda self, *arguments: None)]
    ['key', 'value']
    """
    if name == "__call__":
        return parameters_of(function, skip=1)
    names = _OPERANDS.get(name, ())
    kinds = (Signature.POSITIONAL_ONLY, Signature.POSITIONAL_OR_KEYWORD)
    found = [parameter for parameter in parameters_of(function, skip=1) if parameter.kind in kinds][: len(names)]
    found += [Parameter(name, Signature.POSITIONAL_ONLY) for name in names[len(found) :]]
    # Operators pass all operands, so a default value is never used.
    return tuple(replace(parameter, kind=Signature.POSITIONAL_ONLY, default=Signature.empty) for parameter in found)


def parameters_of_container_method(cls: type, name: str) -> tuple[Parameter, ...]:
    """Return the parameters of a method that a container inherits from a built-in class.

    >>> [parameter.name for parameter in parameters_of_container_method(dict, "pop")]
    ['key', 'default']
    """
    function = class_attribute(cls, name)
    if _signature(function) is not None:
        return parameters_of(function, skip=1)
    for model in _MODELS:
        if issubclass(cls, model) and inspect.isfunction(class_attribute(model, name)):
            return parameters_of(class_attribute(model, name), skip=1)
    # Docstrings of methods in C begin with a call such as "od.copy() -> a shallow copy of od".
    return () if f"{name}()" in str(getattr(function, "__doc__", "")) else UNKNOWN


def _signature(function: Any) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except Exception:  # no signature, or code of the class under test fails
        return None


def hints_of(function: Any) -> dict[str, Any]:
    """Return the resolved type hints of a function, by parameter; the return hint has the name "return".

    A hint that cannot be resolved is a string.

    >>> def add(item: "Missing", number: int): ...
    >>> hints_of(add)
    {'item': 'Missing', 'number': <class 'int'>}
    """
    function = inspect.unwrap(function) if inspect.isfunction(function) else function
    try:
        return typing.get_type_hints(function)
    except Exception:
        return _resolved_separately(function)


def _resolved_separately(function: Any) -> dict[str, Any]:
    try:
        written: Mapping[str, Any] = inspect.get_annotations(function)
    except Exception:
        return {}
    module = sys.modules.get(str(getattr(function, "__module__", "")))
    names = {} if module is None else vars(module)
    return {name: _resolved(hint, names) for name, hint in written.items()}


def _resolved(hint: Any, names: Mapping[str, Any]) -> Any:
    if not isinstance(hint, str):
        return hint
    try:
        return eval(hint, dict(names))
    except Exception:
        return hint.strip("'\"")


def names_hinted(hint: Any, cls: type) -> bool:
    """Return whether a hint names a class, directly, as a string or within a union.

    >>> names_hinted(dict | None, dict), names_hinted("dict", dict), names_hinted(list[dict], dict)
    (True, True, False)
    """
    if hint is cls or hint == cls.__name__ or hint is typing.Self:
        return True
    is_union = typing.get_origin(hint) in (typing.Union, type(int | None))
    return is_union and any(names_hinted(part, cls) for part in typing.get_args(hint))


def package_of(kind: type) -> str:
    """Return the name of the outermost package, or of the module, that defines a class."""
    return module_of(kind).partition(".")[0]
