"""Classes that cannot be tested, with the reason in one sentence."""

from __future__ import annotations

import inspect
from enum import Enum
from types import FunctionType

from raddle.generation.surface import Surface
from raddle.inspection import fields_of, module_of, mro, qualname_of
from raddle.linearizability.controllable import SYNCHRONIZATION


def reason_not_tested(cls: type, surface: Surface, *, is_restricted: bool = False, has_factory: bool = False) -> str:
    """Return why a class cannot be tested; "" if it can be.

    Args:
        cls: The class.
        surface: Its surface.
        is_restricted: Whether the user has selected the methods.
        has_factory: Whether the user supplies a function that creates instances.

    >>> import queue
    >>> from raddle.generation.inspect_class import inspect_class
    >>> reason_not_tested(queue.Queue, inspect_class(queue.Queue))
    'raddle replaces queue.Queue with a twin, so its own code does not run: name a class that uses it'
    """
    name = f"{module_of(cls)}.{qualname_of(cls)}"
    if module_of(cls).partition(".")[0] in SYNCHRONIZATION:
        return f"raddle replaces {name} with a twin, so its own code does not run: name a class that uses it"
    if issubclass(cls, type):
        return f"{name} is a metaclass, and only its instances' instances could be shared"
    if issubclass(cls, Enum):
        return f"{name} is an enumeration, and its members do not change"
    if issubclass(cls, BaseException):
        return f"{name} is an exception class"
    if surface.methods and not any(map(_is_in_python, mro(cls))):
        return f"{name} is not written in Python, so raddle cannot switch threads inside its methods"
    if inspect.isabstract(cls) and not surface.constructors and not has_factory:
        return (
            f"{name} is abstract, and its package has no concrete subclass: name a subclass, or pass --with factory.py"
        )
    if not surface.methods:
        return _reason_without_methods(cls, name, is_restricted=is_restricted)
    return ""


def _reason_without_methods(cls: type, name: str, *, is_restricted: bool) -> str:
    if is_restricted:
        return f"no method of {name} fits the patterns of --methods and --exclude"
    public = [value for base in mro(cls) for key, value in fields_of(base).items() if not key.startswith("_")]
    if any(inspect.iscoroutinefunction(value) or inspect.isasyncgenfunction(value) for value in public):
        return f"the methods of {name} are coroutines, and raddle tests threads"
    return f"{name} has no public methods or attributes that a test could use"


def _is_in_python(base: type) -> bool:
    """Return whether a class has methods that are written in Python."""
    for value in fields_of(base).values():
        function = value.fget if type(value) is property else getattr(value, "__func__", value)
        if type(function) is FunctionType:
            return True
    return False
