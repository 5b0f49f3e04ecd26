"""What the world of threads keeps about each thread of an execution."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from raddle.engine.carrier import Carrier

if TYPE_CHECKING:
    from raddle.threads.world import ThreadWorld


class ThreadState:
    """The `own` of a thread's carrier."""

    __slots__ = ("held", "locals", "lookups", "submitting", "thread", "world")

    def __init__(self, world: ThreadWorld, thread: threading.Thread | None) -> None:
        self.world = world
        self.thread = thread  # the user's object, if there is one
        self.held: list[Any] = []  # locks, in order of acquisition
        self.locals: dict[int, Any] = {}  # by id of a `threading.local`: this thread's version
        self.submitting: Any = None  # the pool that is given something to do
        self.lookups: tuple[Any, ...] = ()  # in caches, of what is being computed


def thread_of(carrier: Carrier) -> threading.Thread | None:
    """Return the Thread object of a carrier, also after its execution is over: none then."""
    return carrier.own.thread if carrier.own is not None else None
