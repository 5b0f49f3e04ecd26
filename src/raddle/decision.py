"""A decision: the thread that the scheduler chose to run, and the alternative chosen for its operation."""

from __future__ import annotations

_BITS = 32
_MASK = (1 << _BITS) - 1


class Decision(int):
    """A decision, encoded as an integer so that it can be stored.

    The lower 32 bits hold the index of the thread. The bits above them hold the index of the alternative plus one, or 0
    if the operation had no alternatives. `Decision(stored)` decodes a stored integer.

    >>> Decision(2), Decision(2, 0), Decision(2) == 2
    (Decision(2), Decision(2, 0), True)
    >>> stored = int(Decision(2, 5))
    >>> Decision(stored).thread, Decision(stored).alternative, Decision(2).alternative
    (2, 5, None)
    """

    __slots__ = ()

    def __new__(cls, thread: int, alternative: int | None = None) -> Decision:
        return super().__new__(cls, thread if alternative is None else thread | alternative + 1 << _BITS)

    @property
    def thread(self) -> int:
        return self & _MASK

    @property
    def alternative(self) -> int | None:
        upper = self >> _BITS
        return upper - 1 if upper else None

    def __repr__(self) -> str:
        alternative = "" if self.alternative is None else f", {self.alternative}"
        return f"Decision({self.thread}{alternative})"
