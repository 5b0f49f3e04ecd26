"""Makes a twin look like what it stands for: some programs check the module or the name of a lock's class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_Made = TypeVar("_Made", bound=type)
_STANDS_FOR = "_raddle_stands_for"
_ALIKE = ("__module__", "__name__", "__qualname__", "__doc__")


def resemble(twin: Any, real: Any) -> None:
    """Give a twin the names and the documentation of the real one.

    >>> def wait(): ...
    >>> resemble(wait, len)
    >>> wait.__module__, wait.__name__, wait.__doc__ == len.__doc__
    ('builtins', 'len', True)
    """
    for name in _ALIKE:
        setattr(twin, name, getattr(real, name))


def claimed_class(real: type) -> Any:
    """A `__class__` for the objects of a twin: `isinstance` takes them for real ones.

    A subclass that the program makes has its own name, and its objects say so.
    """
    return property(lambda self: real if type(self).__dict__.get(_STANDS_FOR) is real else type(self))


def resembling(real: type) -> Callable[[_Made], _Made]:
    """Decorate the class of a twin: `resemble`, and have its objects say what `saying` lets them."""

    def decorate(twin: _Made) -> _Made:
        resemble(twin, real)
        setattr(twin, _STANDS_FOR, real)
        return twin

    return decorate
