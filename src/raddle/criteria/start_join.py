"""Orders that thread starts and joins impose, for the criteria of Lu, Jiang and Zhou.

A read before a thread is started cannot see what that thread writes. An access after a join cannot come between two
accesses of the joined thread. Both facts follow from the observed segments (see `raddle.criteria.segments`). Segments
can differ between executions of programs with branches. In that case, an order counts as impossible only if it was
impossible in every execution.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from raddle.criteria.observed_accesses import NEVER, UNORDERED, Access, Clock, ObservedAccesses
from raddle.entities import AbstractVariable

FIRST_THREAD = "T0"
K = TypeVar("K")


class StartJoinOrder:
    """The possible orders of accesses, given the starts and joins of all executions.

    >>> x, write, read = AbstractVariable("m.py", "", "x"), ("T1", "write", 70001, 1), ("T0", "read", 70002, 1)
    >>> early = ObservedAccesses(spans={(x, read, 0, 0), (x, write, 0, 0)}, segments={("T1", 0, (("T0", 0),))})
    >>> order = StartJoinOrder(early)
    >>> order.is_before(x, read, write), order.can_see(x, write, read)
    (True, False)
    """

    def __init__(self, seen: ObservedAccesses) -> None:
        ordered = UNORDERED not in seen.segments
        self._spans: dict[tuple[AbstractVariable, Access], tuple[int, int]] = {}
        for variable, access, first, last in seen.spans:
            known = self._spans.get((variable, access), (first, last))
            self._spans[variable, access] = min(first, known[0]), max(last, known[1])
        self._clocks: dict[tuple[str, int], dict[str, int]] = {}
        for label, number, clock in seen.segments if ordered else ():
            _weaken(self._clocks, (label, number), clock)
        self._overwritten: dict[tuple[AbstractVariable, Access], int] = {}
        for variable, write, segment in seen.overwritten:
            known_segment = self._overwritten.get((variable, write), segment)
            never = NEVER in (segment, known_segment)
            self._overwritten[variable, write] = NEVER if never else max(segment, known_segment)
        self._hidden: dict[tuple[AbstractVariable, Access], dict[str, int]] = {}
        for variable, read, clock in seen.hidden if ordered else ():
            _weaken(self._hidden, (variable, read), clock)

    def clock(self, label: str, segment: int) -> Mapping[str, int]:
        """Map each thread label to the thread's last segment that always comes before the given segment."""
        return self._clocks.get((label, segment), {})

    def is_before(self, variable: AbstractVariable, one: Access, other: Access) -> bool:
        """Return whether an access always comes before an access by another thread, if both happen."""
        earlier, later = self._spans.get((variable, one)), self._spans.get((variable, other))
        if earlier is None or later is None:
            return False
        return earlier[1] <= self.clock(other[0], later[0]).get(one[0], NEVER)

    def is_initial(self, variable: AbstractVariable, write: Access) -> bool:
        """Return whether a write comes before the first thread start and is thus part of the initial state."""
        return write[0] == FIRST_THREAD and self._spans.get((variable, write)) == (0, 0)

    def can_see(self, variable: AbstractVariable, write: Access, read: Access) -> bool:
        """Return whether a read can get the value of a write by another thread."""
        if self.is_initial(variable, write) or self.is_before(variable, read, write):
            return False
        writer = write[0]
        written, seen = self._spans.get((variable, write)), self._spans.get((variable, read))
        if written is None or seen is None:
            return True
        overwritten = self._overwritten.get((variable, write), NEVER)
        if overwritten != NEVER and overwritten <= self.clock(read[0], seen[0]).get(writer, NEVER):
            return False
        return written[1] > self._hidden.get((variable, read), {}).get(writer, NEVER)

    def can_come_between(self, variable: AbstractVariable, first: Access, other: Access, second: Access) -> bool:
        """Return whether an access can come between two consecutive accesses by another thread."""
        return not self.is_before(variable, other, first) and not self.is_before(variable, second, other)

    def place(self, variable: AbstractVariable, access: Access) -> tuple[object, ...]:
        """Return the position of an access relative to starts and joins; equal positions allow the same orders."""
        hidden = self._hidden.get((variable, access), {})
        return (access[0], self._spans.get((variable, access)), *sorted(hidden.items()))


def _weaken(clocks: dict[K, dict[str, int]], key: K, clock: Clock) -> None:
    """Reduce a clock to the orders that hold in every execution."""
    given = dict(clock)
    known = clocks.get(key)
    if known is None:
        clocks[key] = given
    else:
        clocks[key] = {label: min(last, given[label]) for label, last in known.items() if label in given}
