"""A base class that makes the methods of its subclasses mutually exclusive."""

from __future__ import annotations

import functools
import inspect
import itertools
import threading
from collections.abc import Callable
from typing import Any

SPECIAL_METHODS = ("__eq__", "__hash__", "__len__", "__repr__", "__str__")

_numbers = itertools.count()


class Synchronized:
    """Wraps each public method that a subclass defines or inherits, so that it holds the object's lock.

    A method that receives other synchronized objects as arguments holds their locks as well. Locks are always acquired
    in the order in which the objects were created, so that two such calls cannot wait for each other.
    """

    _monitor: threading.RLock
    _monitor_number: int

    def __new__(cls, *_arguments: object, **_options: object) -> Synchronized:
        self = super().__new__(cls)
        self._monitor = threading.RLock()
        self._monitor_number = next(_numbers)
        return self

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name in dir(cls):
            method = inspect.getattr_static(cls, name)
            is_inherited_from_object = name in object.__dict__ and method is object.__dict__[name]
            is_wanted = not name.startswith("_") or (name in SPECIAL_METHODS and not is_inherited_from_object)
            if is_wanted and inspect.isfunction(method):
                setattr(cls, name, _holding_locks(method))

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes to copy; a copy has its own lock."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_monitor")}


def _holding_locks(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Synchronized, *arguments: Any, **options: Any) -> Any:
        others = [value for value in (*arguments, *options.values()) if isinstance(value, Synchronized)]
        if not others:
            with self._monitor:
                return method(self, *arguments, **options)
        return _call_with_all_locks([self, *others], lambda: method(self, *arguments, **options))

    return call


def _call_with_all_locks(objects: list[Synchronized], function: Callable[[], Any]) -> Any:
    """Call the function while holding the locks of all the objects."""
    if not objects:
        return function()
    first = min(objects, key=lambda item: item._monitor_number)
    with first._monitor:
        return _call_with_all_locks([item for item in objects if item is not first], function)
