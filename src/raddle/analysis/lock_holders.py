"""Which locks are held, by whom, and where they were acquired."""

from __future__ import annotations


class LockHolders:
    """Follows one execution.

    >>> held = LockHolders()
    >>> held.acquire(1, 7, 70001)
    >>> held.by(1)
    {7: 70001}
    >>> held.release(7)  # by whomever
    >>> held.by(1)
    {}
    """

    def __init__(self) -> None:
        self._locks: dict[int, dict[int, int]] = {}  # by thread: the sites, by lock, in the order taken
        self._holders: dict[int, int] = {}

    def by(self, thread: int) -> dict[int, int]:
        """The thread's locks at this moment, and where it acquired them."""
        return self._locks.get(thread, {})

    def acquire(self, thread: int, lock: int, site: int) -> None:
        """The thread has the lock; whoever had it must have given it back, seen or not."""
        if lock in self._holders:
            self.release(lock)
        self._holders[lock] = thread
        self._locks.setdefault(thread, {})[lock] = site

    def release(self, lock: int) -> None:
        """Nobody has the lock any more. Python lets any thread release a plain lock."""
        thread = self._holders.pop(lock, None)
        if thread is not None:
            locks = self._locks[thread]
            del locks[lock]
            if not locks:
                del self._locks[thread]

    def site(self, lock: int) -> int:
        """Where the one who holds it acquired it; 0 if nobody does."""
        thread = self._holders.get(lock)
        return 0 if thread is None else self._locks[thread][lock]
