"""Small programs that together use every primitive, for the tests of reachability testing."""

from __future__ import annotations

from collections.abc import Callable

import reachable_locks
import reachable_memory
import reachable_queues
import reachable_threads
import reachable_waiting

from raddle import env

MODULES = (reachable_locks, reachable_memory, reachable_queues, reachable_threads, reachable_waiting)


def _programs() -> list[Callable[[], None]]:
    return [
        found
        for module in MODULES
        for name, found in vars(module).items()
        if getattr(found, "__module__", "") == module.__name__ and not isinstance(found, type)
        if not name.startswith("shut_down") or env.QUEUES_SHUT_DOWN
    ]


PROGRAMS = _programs()
SOURCES = ("counted", *(module.__name__ for module in MODULES))
