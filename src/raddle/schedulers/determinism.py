"""Runs each schedule of another scheduler twice and says where the second time differed.

A scenario whose executions depend on anything but the schedule (the clock, random numbers, the order of
a set, state left behind) cannot be explored honestly; this finds the first step that shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from raddle.schedulers.base import Alternative, Scheduler, SearchProgress, Thread


class RunTwice(Scheduler):
    """Every odd execution is the inner scheduler's, every even one the same again."""

    def __init__(self, inner: Scheduler) -> None:
        self._inner = inner
        self.complete = inner.complete
        self._seen: list[tuple[str, ...]] = []
        self._taken: list[str] = []
        self._again = False
        self._space = -1
        self.difference: str | None = None

    def begin(self, number: int, space: int) -> bool:
        self._at = 0
        if self._taken and not self._again and space == self._space:
            self._again = True
            return True
        self._again = False
        self._space = space
        self._seen, self._taken = [], []
        return self._inner.begin((number + 1) // 2, space)

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        seen = tuple(f"{t.label} before {t.kind} {t.name}".rstrip() for t in enabled)
        if not self._again:
            chosen = self._inner.choose(enabled, current)
            self._seen.append(seen)
            self._taken.append(chosen.label)
            return chosen
        wanted = self._taken_before(seen, "could go on")
        return next((t for t in enabled if t.label == wanted), enabled[0])

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        seen = tuple(f"{thread.label} {option.label}" for option in options)
        if not self._again:
            at = self._inner.choose_alternative(thread, options)
            self._seen.append(seen)
            self._taken.append(seen[at])
            return at
        wanted = self._taken_before(seen, "was possible")
        return next((at for at, one in enumerate(seen) if one == wanted), 0)

    def _taken_before(self, seen: tuple[str, ...], could: str) -> str:
        """Return what was taken the first time; "" if the second time differs."""
        at = self._at
        self._at = at + 1
        if self.difference is not None:
            return ""
        if at >= len(self._seen):
            self.difference = f"decision {at + 1}: the first time the execution was over by then"
        elif seen != self._seen[at]:
            self.difference = (
                f"decision {at + 1}: the first time {', '.join(self._seen[at])} {could}, "
                f"the second time {', '.join(seen)}"
            )
        else:
            return self._taken[at]
        return ""

    def end(self) -> None:
        if not self._again:
            self._inner.end()
        elif self.difference is None and self._at < len(self._seen):
            self.difference = f"decision {self._at + 1}: the second time the execution was over by then"

    def progress(self) -> SearchProgress:
        return SearchProgress(bound=self._inner.progress().bound, difference=self.difference)

    def memory(self) -> object:
        return self._inner.memory(), self._seen, self._taken, self._at, self.difference

    def remember(self, memory: object) -> None:
        found: Any = memory
        inner, self._seen, self._taken, self._at, self.difference = found
        self._inner.remember(inner)
