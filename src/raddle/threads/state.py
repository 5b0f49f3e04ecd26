"""The state that the world of threads stores in the carrier of each thread."""

from __future__ import annotations

import threading
from random import Random
from typing import TYPE_CHECKING, Any

from raddle.engine.carrier import Carrier

if TYPE_CHECKING:
    from raddle.threads.world import ThreadWorld


class ThreadState:
    """The state of one thread, stored as `own` in its carrier."""

    __slots__ = ("held", "locals", "lookups", "stream", "submitting", "thread", "world")

    def __init__(self, world: ThreadWorld, thread: threading.Thread | None) -> None:
        self.world = world
        self.thread = thread  # the program's Thread object, if there is one
        self.held: list[Any] = []  # the locks that the thread holds, in order of acquisition
        self.locals: dict[int, Any] = {}  # maps the id of a `threading.local` to this thread's version of it
        self.stream: Random | None = None  # the random numbers of this thread, once it has drawn one
        self.submitting: Any = None  # the pool to which the thread is submitting a task
        self.lookups: tuple[Any, ...] = ()  # the cache lookups whose results are being computed, innermost last


def thread_of(carrier: Carrier) -> threading.Thread | None:
    """Return the Thread object of a carrier, or None if it has none or its execution has ended."""
    return carrier.own.thread if carrier.own is not None else None
