"""Records which methods of a class run at the same time on native threads, without probes or profiling."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import FunctionType
from typing import Any

from raddle.generation.covcon_ranking import CallEvent
from raddle.inspection import mro


@contextmanager
def recorded_calls(cls: type | None) -> Iterator[list[CallEvent]]:
    """Record the calls of the methods of a class, including those that its methods make, inside the `with` block.

    Every method written in Python is replaced with one that records when it starts and ends. Without a class, nothing
    is recorded.

    >>> class Box:
    ...     def get(self): return self.peek()
    ...     def peek(self): return 1
    >>> with recorded_calls(Box) as events:
    ...     Box().get()
    1
    >>> [(name, begins) for _, name, begins in events]
    [('get', True), ('peek', True), ('peek', False), ('get', False)]
    """
    events: list[CallEvent] = []
    replaced: list[tuple[type, str, FunctionType]] = []
    for base in mro(cls) if cls is not None else ():
        for name, member in list(vars(base).items()):
            if type(member) is FunctionType and name not in ("__init__", "__new__"):
                replaced.append((base, name, member))
                setattr(base, name, _recording(member, name, events))
    try:
        yield events
    finally:
        for base, name, member in replaced:
            setattr(base, name, member)


def _recording(function: Callable[..., Any], name: str, events: list[CallEvent]) -> Callable[..., Any]:
    get_ident = threading.get_ident

    @wraps(function)
    def recording(*arguments: Any, **keywords: Any) -> Any:
        thread = get_ident()
        events.append((thread, name, True))
        try:
            return function(*arguments, **keywords)
        finally:
            events.append((thread, name, False))

    return recording
