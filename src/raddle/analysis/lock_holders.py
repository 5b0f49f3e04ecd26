"""Tracks which thread holds each lock, and where the lock was acquired."""

from __future__ import annotations


class LockHolders:
    """The lock holders at the current step of one execution.

    >>> held = LockHolders()
    >>> held.acquire(1, 7, 70001)
    >>> held.by(1)
    {7: 70001}
    >>> held.release(7)  # by any thread
    >>> held.by(1)
    {}
    """

    def __init__(self) -> None:
        self._locks: dict[int, dict[int, int]] = {}  # for each thread, maps held locks to sites, in acquire order
        self._holders: dict[int, int] = {}

    def by(self, thread: int) -> dict[int, int]:
        """Return the locks that the thread holds now, each with the site where it was acquired."""
        return self._locks.get(thread, {})

    def acquire(self, thread: int, lock: int, site: int) -> None:
        """Record that the thread acquired the lock.

        A previous holder must have released the lock, even if the release was not recorded.
        """
        if lock in self._holders:
            self.release(lock)
        self._holders[lock] = thread
        self._locks.setdefault(thread, {})[lock] = site

    def release(self, lock: int) -> None:
        """Record that the lock was released; Python lets any thread release a plain lock."""
        thread = self._holders.pop(lock, None)
        if thread is not None:
            locks = self._locks[thread]
            del locks[lock]
            if not locks:
                del self._locks[thread]

    def site(self, lock: int) -> int:
        """Return the site where the lock was acquired; 0 if no thread holds it."""
        thread = self._holders.get(lock)
        return 0 if thread is None else self._locks[thread][lock]
