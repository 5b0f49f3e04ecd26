"""Makes a twin resemble the original, because some programs check the module or the name of a lock's class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Made = TypeVar("_Made", bound=type)
_STANDS_FOR = "_raddle_stands_for"
_COPIED_ATTRIBUTES = ("__module__", "__name__", "__qualname__", "__doc__")


def resemble(twin: Any, real: Any) -> None:
    """Copy the names and the docstring of the original to its twin.

    >>> def wait(): ...
    >>> resemble(wait, len)
    >>> wait.__module__, wait.__name__, wait.__doc__ == len.__doc__
    ('builtins', 'len', True)
    """
    for name in _COPIED_ATTRIBUTES:
        setattr(twin, name, getattr(real, name))


def claimed_class(real: type) -> Any:
    """Return a `__class__` property that makes `isinstance` accept twins as instances of the real class.

    Instances of a subclass that the program defines report their own class.
    """
    return property(lambda self: real if type(self).__dict__.get(_STANDS_FOR) is real else type(self))


def resembling(real: type) -> Callable[[_Made], _Made]:
    """Return a class decorator that applies `resemble` and marks the class for `claimed_class`."""

    def decorate(twin: _Made) -> _Made:
        resemble(twin, real)
        setattr(twin, _STANDS_FOR, real)
        return twin

    return decorate
