"""Occurrences of patterns in one execution, stored as bit masks until their keys are needed."""

from __future__ import annotations

from collections.abc import Iterator

from raddle.criteria.pattern_keys import NO_VARIABLE, key_head
from raddle.criteria.patterns import PATTERNS, identify
from raddle.static_model import VariableName
from raddle.tally import Key

Middle = int | tuple[int, int] | None  # the steps between the first and the last: none, one, or one on x and one on y


class Accesses:
    """The accesses to an abstract variable so far; the number of an access is its bit position in a mask."""

    __slots__ = ("counts", "numbers", "sites", "variable", "writes")

    def __init__(self, variable: VariableName) -> None:
        self.variable = variable
        self.numbers: dict[tuple[bool, int], int] = {}
        self.sites: list[int] = []
        self.writes: list[bool] = []
        self.counts = [0, 0]  # numbers of reads and of writes

    def number(self, writes: bool, site: int) -> int:
        """Return the number of an access; assign one if the access is new."""
        number = self.numbers.get((writes, site))
        if number is None:
            number = self.numbers[writes, site] = len(self.sites)
            self.sites.append(site)
            self.writes.append(writes)
            self.counts[writes] += 1
        return number


class Occurrences:
    """The occurrences of one pattern that end with one access.

    >>> x = Accesses(("log.py:Log", "th"))
    >>> numbers = [x.number(writes, site) for writes, site in ((False, 70004), (True, 70009), (False, 70005))]
    >>> found = Occurrences(4, x, x, last=2)
    >>> found.add(0b001, middle=1), found.add(0b001, middle=1)  # nothing is new the second time
    (1, 0)
    >>> list(found.keys(0b001, middle=1))
    [(4, 'log.py:Log', 'th', '', 70004, 70009, 70005)]
    """

    __slots__ = ("_key", "_last", "_order", "_pattern", "_x", "_y", "count", "masks")

    def __init__(self, pattern: int, x: Accesses, y: Accesses, *, last: int) -> None:
        self.masks: dict[Middle, int] = {}  # maps the middle steps to a mask of the first steps
        self.count = 0
        self._pattern = PATTERNS[pattern]
        self._x = x
        self._y = y
        self._last = last
        places = tuple(range(len(self._pattern.parts)))
        other = y.variable if self._pattern.pair else NO_VARIABLE
        number, one, other, self._order = identify(pattern, x.variable, other, places)
        self._key = key_head(number, one, other)

    def add(self, mask: int, *, middle: Middle) -> int:
        """Add occurrences with these first steps; return the mask of those that are new."""
        old = self.masks.get(middle, 0)
        new = mask & ~old
        if new:
            self.masks[middle] = old | new
            self.count += new.bit_count()
        return new

    def keys(self, mask: int, *, middle: Middle) -> Iterator[Key]:
        """Yield the requirements that occurrences with these first steps cover."""
        x, y = self._x.sites, self._y.sites
        if isinstance(middle, tuple):
            between = [x[middle[0]], y[middle[1]]]
            if self._pattern.parts[1].variable == "y":
                between.reverse()
        else:
            between = [] if middle is None else [x[middle]]
        while mask:
            lowest = mask & -mask
            mask ^= lowest
            sites = (x[lowest.bit_length() - 1], *between, y[self._last])
            yield (*self._key, *(sites[index] for index in self._order))
