"""The set of locks that each thread holds."""

from __future__ import annotations

NO_LOCKS: frozenset[int] = frozenset()


class HeldLocks:
    """Tracks `acquire` and `release` steps of one execution.

    Python lets any thread release a `Lock`. So a release removes the lock from its holder, not from the releasing
    thread.

    >>> held = HeldLocks()
    >>> held.acquired(1, 7)
    >>> held.acquired(1, 8)
    >>> sorted(held.by(1))
    [7, 8]
    >>> held.released(2, 7)
    >>> held.by(1), held.by(2)
    (frozenset({8}), frozenset())
    """

    __slots__ = ("_holders", "_sets")

    def __init__(self) -> None:
        self._sets: dict[int, frozenset[int]] = {}
        self._holders: dict[int, int] = {}

    def by(self, thread: int) -> frozenset[int]:
        """Return the locks that the thread holds now, as an immutable set."""
        return self._sets.get(thread, NO_LOCKS)

    def acquired(self, thread: int, lock: int) -> None:
        """Record that the thread acquired the lock."""
        holder = self._holders.get(lock, thread)
        if holder != thread:  # the previous holder's release was not recorded
            self.released(holder, lock)
        self._holders[lock] = thread
        self._sets[thread] = self._sets.get(thread, NO_LOCKS) | {lock}

    def released(self, thread: int, lock: int) -> None:
        """Record that `thread` released the lock; the thread need not be the holder."""
        holder = self._holders.pop(lock, thread)
        held = self._sets.get(holder)
        if held is not None and lock in held:
            self._sets[holder] = held - {lock} if len(held) > 1 else NO_LOCKS
