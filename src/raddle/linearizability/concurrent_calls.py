"""The calls that several threads make on one object, and the calls that observe the object afterwards.

A generator function makes several whole calls: other threads may make calls at each `yield`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

Setup = Callable[[], Any]  # returns the object that the threads share
CallOn = Callable[[Any], object]  # makes one call on the shared object; for example `lambda stack: stack.pop()`


def _no_pause() -> None:
    """Do nothing, because the calls are not being checked."""


@dataclass(slots=True)
class Pause:
    """A place inside a call where other threads may make whole calls, such as the body of a `with` statement."""

    take: Callable[[], None] = _no_pause  # replaced by the harness


def in_steps(call: CallOn, pause: Pause) -> CallOn:
    """Return a call that runs a generator function, with a pause at each `yield`; its result is what it returns.

    >>> def add_twice(items):
    ...     items.append(1)
    ...     yield
    ...     items.append(2)
    ...     return len(items)
    >>> in_steps(add_twice, Pause())([])
    2
    """

    @wraps(call)
    def run(shared: Any) -> object:
        steps: Any = call(shared)
        while True:
            try:
                next(steps)
            except StopIteration as end:
                return end.value
            try:
                pause.take()
            except BaseException as error:  # the execution ends, as it would inside the `with` statement
                steps.throw(error)
                raise

    return run


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
