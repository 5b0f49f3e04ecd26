"""Patches for iterators that `threading` guards with a lock: `serialize_iterator` and `concurrent_tee`, which are new
in Python 3.15.

Their own code runs on the twin of the lock. An iterator created before the twins were installed has a real lock, which
its uninstrumented methods would acquire. So the lock is first replaced with its twin.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any

from raddle import env
from raddle.engine.carrier import Carrier, getcurrent
from raddle.threads.twins.adopt import adopt_slot


def _guarded() -> Iterator[tuple[type, str, tuple[str, ...]]]:
    """Yield each class with the attribute that holds its lock and the methods that acquire it."""
    if env.ITERATORS_CAN_BE_SERIALIZED:
        module: Any = threading
        yield module.serialize_iterator, "_lock", ("__next__", "send", "throw", "close")
        yield module._concurrent_tee, "lock", ("__next__",)


def _adopting(lock: str, real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def method(self: Any, /, *args: Any) -> Any:
        if getcurrent().__class__ is Carrier:
            adopt_slot(self, lock)
        return real(self, *args)

    return method


PATCHES: tuple[tuple[type, str, Any], ...] = tuple(
    (kind, name, _adopting(lock, kind.__dict__[name])) for kind, lock, names in _guarded() for name in names
)
