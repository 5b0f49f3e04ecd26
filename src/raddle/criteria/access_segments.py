"""The segments in which the accesses of a finished execution happened."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from raddle.criteria.accesses import NO_ACCESS, AccessNames
from raddle.criteria.observed_accesses import NEVER
from raddle.operation import WRITE


class AccessSegments:
    """The accesses of one execution by variable and thread, with the segments in which they happened."""

    def __init__(self, names: AccessNames[Any]) -> None:
        self._segments = names.segments
        self.spans: dict[int, tuple[int, int]] = {}  # maps each access to the segments of its first and last occurrence
        # For each variable and thread: the kind of each access, and the segments of its first and last occurrence.
        self._by_thread: dict[int, dict[int, set[tuple[str, int, int]]]] = {}
        for (thread, kind, number, _), access, first, last in names.spans():
            self.spans[access] = first, last
            self._by_thread.setdefault(number, {}).setdefault(thread, set()).add((kind, first, last))

    def _is_before(self, one: int, last: int, other: int, first: int) -> bool:
        """Return whether segment `last` of thread `one` always comes before segment `first` of thread `other`."""
        return last <= self._segments.clock(other, first).get(one, NEVER)

    def is_always_separated(self, number: int, thread: int, first: int, second: int, kinds: Container[str]) -> bool:
        """Return whether an access by another thread always comes between two accesses by this thread.

        If `first` is NO_ACCESS, the other thread's access only has to come before `second`, and it must not be part of
        the initial state.
        """
        until = self.spans[second][0]
        for other, moments in self._by_thread[number].items():
            if other == thread:
                continue
            for kind, begin, end in moments:
                if kind in kinds and self._is_before(other, end, thread, until):
                    after = (
                        (other or end)
                        if first == NO_ACCESS
                        else self._is_before(thread, self.spans[first][1], other, begin)
                    )
                    if after:
                        return True
        return False

    def hidden(self, number: int, thread: int, own: int, read: int) -> dict[int, int]:
        """Map each thread to its last segment whose writes are always overwritten before the read.

        `own` is the reading thread's last write, or NO_ACCESS if there is none.
        """
        clocks = [] if own == NO_ACCESS else [self._segments.clock(thread, self.spans[own][0])]
        until = self.spans[read][0]
        for other, moments in self._by_thread[number].items():
            if other != thread:
                clocks += [
                    self._segments.clock(other, begin)
                    for kind, begin, end in moments
                    if kind == WRITE and self._is_before(other, end, thread, until)
                ]
        hidden: dict[int, int] = {}
        for clock in clocks:
            for other, last in clock.items():
                hidden[other] = max(last, hidden.get(other, NEVER))
        return hidden
