"""Decides which calls are to blame when a process has died or hangs, and must not be made again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from raddle.generation.call_watch import Refusals
from raddle.generation.surface import Method, MethodKind
from raddle.generation.testcase import Call

_MAX_CONSTRUCTOR_CALLS = 2  # calls of a constructor that may end the process before it is given up
_MAX_SUSPICIONS = 2  # times a method may be one of several suspects before it is excluded


class Blame:
    """Collects the calls and methods to exclude.

    If one call was in progress, its method is excluded. Of a constructor, only the call is excluded at first, because
    another argument may help. If several calls were in progress, one of them is innocent, so a method is excluded when
    it is a suspect for the second time.
    """

    def __init__(self) -> None:
        self._methods: dict[Method, str] = {}
        self._calls: dict[Call, str] = {}
        self._suspicions: Counter[Method] = Counter()
        self._constructor_calls: Counter[Method] = Counter()

    @property
    def refusals(self) -> Refusals:
        """What is excluded so far."""
        return Refusals(dict(self._methods), dict(self._calls))

    def add(self, calls: Sequence[Call], what: str) -> None:
        """Blame calls in progress; `what` continues a sentence about the call, such as "does not return"."""
        methods = list(dict.fromkeys(call.method for call in calls))
        for method in methods:
            own = [call for call in calls if call.method == method]
            if method.kind is MethodKind.CONSTRUCTOR:
                self._blame_constructor(own, what, alone=len(methods) == 1)
            else:
                self._suspicions[method] += _MAX_SUSPICIONS if len(methods) == 1 else 1
                if self._suspicions[method] >= _MAX_SUSPICIONS:
                    self._methods[method] = what

    def suspect(self, call: Call, what: str) -> bool:
        """Suspect the last call before a process died while no call was in progress; return whether that is new.

        The call may have broken something that the process needed later, such as a module.
        """
        method = call.method
        if method.kind is MethodKind.CONSTRUCTOR or method in self._methods:
            return False
        self._suspicions[method] += 1
        if self._suspicions[method] >= _MAX_SUSPICIONS:
            self._methods[method] = what
        return True

    def _blame_constructor(self, calls: Sequence[Call], what: str, *, alone: bool) -> None:
        if not alone:  # constructors of other objects can run in the middle of a test
            return
        method = calls[0].method
        self._calls.update((call, what) for call in calls)
        self._constructor_calls[method] += 1
        if self._constructor_calls[method] >= _MAX_CONSTRUCTOR_CALLS:
            self._methods[method] = what
