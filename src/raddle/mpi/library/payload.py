"""Payloads: the contents of messages, copied when they are sent."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Pickled:
    """A Python object that was sent with a lower-case method such as `send`.

    >>> Pickled.of([1, 2]).load()
    [1, 2]
    """

    data: bytes

    @classmethod
    def of(cls, value: object) -> Pickled:
        """Return a payload with a copy of the value."""
        return cls(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))

    def load(self) -> Any:
        """Return a new copy of the value."""
        return pickle.loads(self.data)

    @property
    def size_bytes(self) -> int:
        """The size of the message."""
        return len(self.data)

    def __repr__(self) -> str:
        return repr(self.load())
