"""The goal of the composite approach: requirements, and which of them an execution or a variant covers."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Protocol

from raddle.messages.choices import Decided
from raddle.messages.trace import MessageTrace

Requirement = Hashable


class Goal(Protocol):
    """The requirements that executions of a program have to cover."""

    @property
    def required(self) -> Collection[Requirement]:
        """All requirements, including those that may be infeasible."""

    def covered(self, trace: MessageTrace) -> Collection[Requirement]:
        """Return the requirements that the execution which has just ended covers; `trace` is its trace."""

    def promised(self, trace: MessageTrace, changed: Decided) -> Collection[Requirement]:
        """Return the requirements that executions of a variant cover because of its changed choice.

        This is a prediction: some of them may turn out to be uncovered.
        `trace` is the trace of the execution that has just ended, from which the variant was derived.
        """


class Remaining:
    """The requirements of a goal that are not covered yet. Searches with several inputs share them."""

    def __init__(self, goal: Goal, before: Remaining | None = None) -> None:
        """Begin with all requirements, or with those that are left of an equal goal for another input."""
        self.goal = goal
        self.uncovered: set[Requirement] = set(goal.required if before is None else before.uncovered)

    @property
    def is_empty(self) -> bool:
        """Whether everything is covered."""
        return not self.uncovered

    def add(self, trace: MessageTrace) -> int:
        """Remove what the execution that has just ended covers; return how many requirements it covers first."""
        before = len(self.uncovered)
        self.uncovered.difference_update(self.goal.covered(trace))
        return before - len(self.uncovered)

    def promised(self, trace: MessageTrace, changed: Decided) -> frozenset[Requirement]:
        """Return the uncovered requirements that a variant promises to cover."""
        return frozenset(self.goal.promised(trace, changed)) & self.uncovered
