"""A decision: which thread went on, and which of its alternatives its operation had."""

from __future__ import annotations

_BITS = 32
_MASK = (1 << _BITS) - 1


class Decision(int):
    """The index of a thread; in the bits above the 32nd, one more than the index of the alternative it took.

    A decision without alternatives is the index of the thread, as corpora and data files have always kept it. One
    with an alternative is kept as an integer as well, and `Decision` of that integer is the decision again.

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
        above = self >> _BITS
        return above - 1 if above else None

    def __repr__(self) -> str:
        alternative = "" if self.alternative is None else f", {self.alternative}"
        return f"Decision({self.thread}{alternative})"
