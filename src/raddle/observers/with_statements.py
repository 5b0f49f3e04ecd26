"""Finds the sites where locks and semaphores are released: at a call, or at the end of a `with` statement."""

from __future__ import annotations

import sys
from types import FrameType

from raddle.checks.crash import is_raddle_file
from raddle.observers.identities import INTERNAL
from raddle.site import SiteTable
from raddle.threads.twins import condition, lock, semaphore

_ACQUIRING = frozenset({"acquire", "acquire_lock"})
_RELEASING = frozenset({"release", "release_lock"})
_EXITS = frozenset(
    {lock.Lock.__exit__.__code__, lock.RLock.__exit__.__code__, condition.leave.__code__, semaphore.leave.__code__}
)


class WithStatements:
    """The active `with` statements of all threads, by lock or semaphore."""

    def __init__(self, table: SiteTable) -> None:
        self._table = table
        self._called: dict[int, str] = {}  # maps a site to the name of the method called there
        self.begin()

    def begin(self) -> None:
        """Prepare for a new execution."""
        self._sites: dict[tuple[int, int], list[int]] = {}  # sites of active `with` statements, by thread and resource

    def enter(self, thread: int, number: int, site: int) -> None:
        """Record that a thread has acquired a lock or semaphore, possibly in a `with` statement."""
        if number != INTERNAL and not self._is_call_of(site, _ACQUIRING):
            self._sites.setdefault((thread, number), []).append(site)

    def leave(self, thread: int, number: int, site: int) -> int:
        """Return the site at which a thread releases a lock or semaphore; `site` is the thread's most recent site.

        The last site inside a `with` statement may be a call that releases another lock.
        """
        sites = self._sites.get((thread, number))
        if not sites or (self._is_call_of(site, _RELEASING) and not _is_leaving()):
            return site
        return sites.pop()

    def _is_call_of(self, site: int, methods: frozenset[str]) -> bool:
        """Return whether a site is a call to one of these methods.

        The site of a `with` statement names only the object.
        """
        called = self._called.get(site)
        if called is None:
            name = self._table[site].name if site in self._table else ""
            called = self._called[site] = name.rpartition(".")[2]
        return called in methods


def _is_leaving() -> bool:
    """Return whether the current operation is performed by the `__exit__` of a twin."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_raddle_file(frame.f_code.co_filename):
        if frame.f_code in _EXITS:
            return True
        frame = frame.f_back
    return False
