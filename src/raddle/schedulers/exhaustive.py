"""Depth-first search that runs every schedule exactly once, optionally with a bound on preemptions.

The search keeps the path to the last execution: the enabled threads at each decision, and which of them was chosen. The
next execution follows this path up to the last decision with an untried thread, chooses that thread, and continues
without preemption. If scheduling points are added, the search starts over, because the tree of schedules has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from raddle.errors import RaddleError
from raddle.schedulers.base import Alternative, Scheduler, SearchProgress, Thread


@dataclass(slots=True)
class Choice:
    """A decision on the path to an execution."""

    options: Sequence[str]  # labels of threads or of alternatives, in the order in which they are tried
    taken: int = 0  # index of the option that is being explored


class NotRepeatableError(RaddleError):
    """The program did not do the same as in an earlier execution that made the same decisions."""

    def __init__(self, difference: str) -> None:
        super().__init__(
            "not-repeatable",
            f"the program does not do the same in every execution: {difference}; reset what executions share, or use a "
            "scheduler that is not exhaustive",
        )
        self._difference = difference

    def __reduce__(self) -> tuple[type[NotRepeatableError], tuple[str]]:
        return type(self), (self._difference,)


class DepthFirst(Scheduler):
    """Base class of depth-first schedulers: follows a path of decisions and backtracks to the last untried option."""

    complete = True
    cut = False  # True if a bound on preemptions excluded schedules
    _path: list[Choice]
    _depth = 0  # number of decisions made in this execution
    _space: int | None = None
    _started = False

    def _advance(self) -> int:
        """Count a decision; return its index."""
        self._depth += 1
        return self._depth - 1

    def _prescribed(self, depth: int, enabled: Sequence[Thread]) -> Thread:
        """Return the thread that the path prescribes for a decision."""
        decision = self._path[depth]
        wanted = decision.options[decision.taken]
        for thread in enabled:
            if thread.label == wanted:
                return thread
        raise NotRepeatableError(
            f"{wanted} was enabled at decision {depth} in an earlier execution, but is not enabled now"
        )

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        depth, labels = self._advance(), [option.label for option in options]
        if depth == len(self._path):
            self._path.append(Choice(labels))
        decision = self._path[depth]
        wanted = decision.options[decision.taken]
        if wanted not in labels or len(decision.options) not in (1, len(labels)):
            before = ", ".join(decision.options)
            raise NotRepeatableError(
                f"{thread.label} could take {before} at decision {depth} in an earlier execution, "
                f"but can take {', '.join(labels)} now"
            )
        return labels.index(wanted)

    def _backtrack(self, *, fixed: int = 0) -> bool:
        """Backtrack to the last decision with an untried option and take that option; return False if there is none.

        The first `fixed` decisions are not changed.
        """
        while len(self._path) > fixed:
            last = self._path[-1]
            if last.taken + 1 < len(last.options):
                last.taken += 1
                return True
            self._path.pop()
        return False

    def end(self) -> None:
        """Drop the decisions of the path that the execution did not reach because it ended earlier."""
        del self._path[self._depth :]

    def progress(self) -> SearchProgress:
        return SearchProgress(bound="preemptions" if self.cut else "")


class Exhaustive(DepthFirst):
    """Runs all schedules depth first, optionally with at most a given number of preemptions.

    >>> search = Exhaustive(preemptions=2)
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
        thread = self._prescribed(depth, enabled)
        if running is not None and thread.label != running:
            self._preemptions += 1
        return thread

    def _order(self, enabled: Sequence[Thread], running: str | None) -> list[str]:
        """Return the labels of the threads in the order in which they are tried, with the running thread first."""
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
