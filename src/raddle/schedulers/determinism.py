"""A determinism check: runs each schedule of another scheduler twice and reports where the second execution differs.

The executions of a scenario must depend on nothing but the schedule: not on the clock, random numbers, the order of a
set, or state left behind by earlier executions. Otherwise the results of a search are unreliable. The check reports the
first decision at which two executions differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raddle.schedulers.base import Alternative, Scheduler, SearchProgress, Thread


class RunTwice(Scheduler):
    """Runs each schedule twice.

    The inner scheduler controls the odd-numbered executions. Each even-numbered execution repeats the one before it.
    """

    def __init__(self, inner: Scheduler) -> None:
        self._inner = inner
        self.complete = inner.complete
        self._offered: list[tuple[str, ...]] = []  # the options at each decision of the first execution
        self._taken: list[str] = []  # the option taken at each decision of the first execution
        self._repeating = False  # True during the second execution
        self._space = -1
        self.difference: str | None = None

    def begin(self, number: int, space: int) -> bool:
        self._at = 0
        if self._taken and not self._repeating and space == self._space:
            self._repeating = True
            return True
        self._repeating = False
        self._space = space
        self._offered, self._taken = [], []
        return self._inner.begin((number + 1) // 2, space)

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        offered = tuple(f"{t.label} before {t.kind} {t.name}".rstrip() for t in enabled)
        if not self._repeating:
            chosen = self._inner.choose(enabled, current)
            self._offered.append(offered)
            self._taken.append(chosen.label)
            return chosen
        wanted = self._taken_before(offered, "enabled")
        return next((t for t in enabled if t.label == wanted), enabled[0])

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        offered = tuple(f"{thread.label} {option.label}" for option in options)
        if not self._repeating:
            at = self._inner.choose_alternative(thread, options)
            self._offered.append(offered)
            self._taken.append(offered[at])
            return at
        wanted = self._taken_before(offered, "possible")
        return next((at for at, one in enumerate(offered) if one == wanted), 0)

    def _taken_before(self, offered: tuple[str, ...], state: str) -> str:
        """Return the option taken in the first execution; "" if the second execution differs.

        `state` describes the options in the message about a difference: "enabled" or "possible".
        """
        at = self._at
        self._at = at + 1
        if self.difference is not None:
            return ""
        if at >= len(self._offered):
            self.difference = f"decision {at + 1}: the first execution had already ended"
        elif offered != self._offered[at]:
            self.difference = (
                f"decision {at + 1}: {state} in the first execution: {', '.join(self._offered[at])}; "
                f"in the second: {', '.join(offered)}"
            )
        else:
            return self._taken[at]
        return ""

    def end(self) -> None:
        if not self._repeating:
            self._inner.end()
        elif self.difference is None and self._at < len(self._offered):
            self.difference = f"decision {self._at + 1}: the second execution had already ended"

    def progress(self) -> SearchProgress:
        return SearchProgress(bound=self._inner.progress().bound, difference=self.difference)

    def memory(self) -> object:
        return self._inner.memory(), self._offered, self._taken, self._at, self.difference

    def remember(self, memory: object) -> None:
        found: Any = memory
        inner, self._offered, self._taken, self._at, self.difference = found
        self._inner.remember(inner)
