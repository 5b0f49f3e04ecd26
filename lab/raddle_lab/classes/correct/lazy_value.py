"""A value that is computed when it is first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable

_MISSING = object()


class LazyValue:
    """Computes a value at the first call of `get`. Threads may share it; each method is one indivisible step.

    The factory runs in one thread at a time, and only once unless the value is reset. If it raises an exception, the
    next call of `get` tries again. The factory must not use this object.
    """

    def __init__(self, factory: Callable[[], object]) -> None:
        self._factory = factory
        self._lock = threading.Lock()
        self._value = _MISSING

    def get(self) -> object:
        """Return the value, and compute it if necessary."""
        value = self._value  # without the lock, because most calls only read
        if value is not _MISSING:
            return value
        with self._lock:
            if self._value is _MISSING:
                self._value = self._factory()
            return self._value

    def is_set(self) -> bool:
        """Return whether the value is computed already."""
        return self._value is not _MISSING

    def reset(self) -> None:
        """Forget the value, so that the next call of `get` computes it again."""
        with self._lock:
            self._value = _MISSING
