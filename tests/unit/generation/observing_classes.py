"""Classes that call callbacks, or whose attributes can be assigned."""

from __future__ import annotations


class Order:
    """`on_paid` checks and appends without a lock, so a listener may never be called."""

    def __init__(self) -> None:
        self._paid = False
        self._listeners = []

    def on_paid(self, listener):
        if self._paid:
            listener("paid", now=True)
        else:
            self._listeners.append(listener)

    def pay(self):
        self._paid = True
        for listener in self._listeners:
            listener("paid", now=False)


class Lazy:
    """Two calls of `get` may call the factory twice."""

    def __init__(self, factory) -> None:
        self._factory = factory
        self._value = None

    def get(self):
        if self._value is None:
            self._value = self._factory()
        return self._value


class Limits:
    """`share` divides by an attribute that it has checked before."""

    def __init__(self, parts=2) -> None:
        self.parts = parts
        self._size = 3

    @property
    def size(self) -> int:
        return self._size

    @size.setter
    def size(self, value):
        if value < 1:
            raise ValueError(value)
        self._size = value

    @property
    def fixed(self):
        return 1

    def share(self):
        if self.parts:
            return 12 // self.parts
        return 0
