"""Lets all public methods of a class hold one lock."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)

# Methods that run before the object is shared
CONSTRUCTION = frozenset({"__new__", "__init__", "__init_subclass__", "__class_getitem__"})


def synchronized(cls: Class) -> Class:
    """Let each public or special method of the class, inherited ones included, hold a lock while it runs.

    All instances share the lock. A method that calls methods of another instance therefore cannot deadlock.
    """
    lock = threading.RLock()
    for name, member in inspect.getmembers_static(cls, inspect.isfunction):
        if name not in CONSTRUCTION and (not name.startswith("_") or name.endswith("__")):
            setattr(cls, name, _holding(lock, member))
    return cls


def _holding(lock: AbstractContextManager[bool], method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def locked(*args: Any, **kwargs: Any) -> Any:
        with lock:
            return method(*args, **kwargs)

    return locked
