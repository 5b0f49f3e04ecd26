"""Decides which methods are not called any more because their calls do not return, so that they only waste time.

It may depend on the object whether a method returns. For example, a method may iterate over all items, of which some
objects have infinitely many. So a method is given up on the objects of one constructor call first.
"""

from __future__ import annotations

from collections import Counter

from raddle.generation.surface import Method
from raddle.generation.testcase import Call

_MAX = 2  # calls on the objects of one constructor call that may fail to return
_MAX_AFTER_END = 6  # the same for a method of which other calls have ended, because the arguments may be to blame
_MAX_IN_ALL = 12  # calls on any objects that may fail to return
_ENDED_PER_SLOW = 10  # a method is not given up on all objects if this many calls end for each one that does not

Constructor = Call | None  # the call that has created the object under test


class SlowMethods:
    """The methods of which calls had to be ended.

    >>> from raddle.generation.expressions import Imported
    >>> from raddle.generation.surface import MethodKind
    >>> take = Method("take", MethodKind.METHOD, Imported("shop", "Cart"))
    >>> slow = SlowMethods()
    >>> slow.add(None, take); slow.add(None, take)
    >>> slow.are_given_up(None, take, ended=0), [str(method) for method in slow.everywhere({})]
    (True, ['take'])
    """

    def __init__(self) -> None:
        self._counts: dict[Method, Counter[Constructor]] = {}

    def add(self, constructor: Constructor, method: Method) -> None:
        """Record that a call did not return."""
        self._counts.setdefault(method, Counter())[constructor] += 1

    def are_given_up(self, constructor: Constructor, method: Method, *, ended: int) -> bool:
        """Return whether calls on the objects of a constructor call are given up; `ended` is how many calls ended."""
        counts = self._counts.get(method)
        if counts is None:
            return False
        is_given_up = counts[constructor] >= (_MAX_AFTER_END if ended else _MAX)
        return is_given_up or counts.total() >= max(_MAX_IN_ALL, ended / _ENDED_PER_SLOW)

    def everywhere(self, ended: dict[Method, int]) -> list[Method]:
        """Return the methods that are given up on all objects on which they were called too long."""
        return [
            method
            for method, counts in self._counts.items()
            if all(self.are_given_up(constructor, method, ended=ended.get(method, 0)) for constructor in counts)
        ]
