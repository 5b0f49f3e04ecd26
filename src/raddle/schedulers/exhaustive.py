"""Depth first through every schedule, each exactly once; optionally with a bound on preemptions.

The path to the last execution is kept: for each decision the threads there were, and which was taken.
The next execution follows it up to the last decision that has an untried thread, takes that one, and
goes on without preemptions from there. When scheduling points were added meanwhile, the counting begins
again: the tree is another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from raddle.schedulers.base import Alternative, Scheduler, SearchProgress, Thread


@dataclass(slots=True)
class Choice:
    """A decision on the path to an execution."""

    options: Sequence[str]  # labels of threads or of alternatives, in the order in which they are tried
    taken: int = 0


class DepthFirst(Scheduler):
    """Follows a path of decisions, then makes others; the last one with an untried option is changed next."""

    complete = True
    cut = False  # something was left out because of a bound on preemptions
    _path: list[Choice]
    _depth = 0  # decisions that the execution has made
    _space: int | None = None
    _started = False

    def _advance(self) -> int:
        """Return the number of the decision to be made now."""
        self._depth += 1
        return self._depth - 1

    def _wanted(self, depth: int, enabled: Sequence[Thread]) -> Thread:
        """Return the thread that the path takes at a decision."""
        decision = self._path[depth]
        wanted = decision.options[decision.taken]
        for thread in enabled:
            if thread.label == wanted:
                return thread
        raise LookupError(f"{wanted} could go on at decision {depth} before, and cannot now")

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        depth, labels = self._advance(), [option.label for option in options]
        if depth == len(self._path):
            self._path.append(Choice(labels))
        decision = self._path[depth]
        wanted = decision.options[decision.taken]
        if wanted not in labels or len(decision.options) not in (1, len(labels)):
            before = ", ".join(decision.options)
            raise LookupError(f"{thread.label} could do {before} at decision {depth} before, now {', '.join(labels)}")
        return labels.index(wanted)

    def _backtrack(self, *, fixed: int = 0) -> bool:
        """Change the last decision that can be, except the first `fixed` ones; return False if there is none."""
        while len(self._path) > fixed:
            last = self._path[-1]
            if last.taken + 1 < len(last.options):
                last.taken += 1
                return True
            self._path.pop()
        return False

    def end(self) -> None:
        """Drop the rest of a path that is longer than the execution: it belongs to a branch that failed earlier."""
        del self._path[self._depth :]

    def progress(self) -> SearchProgress:
        return SearchProgress(bound="preemptions" if self.cut else "")


class Exhaustive(DepthFirst):
    """>>> search = Exhaustive(preemptions=2)
    >>> search.begin(1, 0)
    True
    """

    def __init__(self, *, preemptions: int | None = None) -> None:
        self._bound = preemptions
        self._path = []

    def begin(self, number: int, space: int) -> bool:
        if self._started and space == self._space and not self._backtrack():
            return False
        if space != self._space:
            self._path = []
            self.cut = False
        self._started = True
        self._space = space
        self._depth = 0
        self._preemptions = 0
        return True

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        depth = self._advance()
        running = current.label if current is not None and current in enabled else None
        if depth == len(self._path):
            self._path.append(Choice(self._order(enabled, running)))
        thread = self._wanted(depth, enabled)
        if running is not None and thread.label != running:
            self._preemptions += 1
        return thread

    def _order(self, enabled: Sequence[Thread], running: str | None) -> list[str]:
        """Return the threads in the order in which they are tried: the running one first."""
        labels = [t.label for t in enabled]
        if running is not None:
            labels.remove(running)
            labels.insert(0, running)
            if self._bound is not None and self._preemptions >= self._bound:
                labels = [running]
                self.cut = True
        return labels

    def memory(self) -> object:
        return self._path, self._depth, self.cut

    def remember(self, memory: object) -> None:
        found: Any = memory
        self._path, self._depth, self.cut = found
