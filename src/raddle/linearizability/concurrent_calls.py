"""The calls that several threads make on one object, and the calls that observe the object afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Setup = Callable[[], Any]  # returns the object that the threads share
CallOn = Callable[[Any], object]  # makes one call on the shared object; for example `lambda stack: stack.pop()`


def _no_pause() -> None:
    """Do nothing, because the calls are not being checked."""


@dataclass(slots=True)
class Pause:
    """A place inside a call where other threads may make whole calls, such as the body of a `with` statement."""

    take: Callable[[], None] = _no_pause  # replaced by the harness


@dataclass(frozen=True, slots=True)
class ConcurrentCalls:
    """A concurrent test: each thread makes its calls in order, while the other threads make theirs.

    >>> calls = ConcurrentCalls(list, ([lambda items: items.append(1)], [lambda items: items.pop()]))
    >>> calls.total
    2
    """

    setup: Setup
    threads: Sequence[Sequence[CallOn]]
    observers: Sequence[CallOn] = ()  # made after all threads have ended, by the thread that started them
    invariants: Sequence[CallOn] = ()  # called after the observers; each returns whether the object is consistent

    pause: Pause = field(default_factory=Pause, compare=False)  # for calls that consist of several whole calls

    @property
    def total(self) -> int:
        """The number of calls of all threads."""
        return sum(map(len, self.threads))
