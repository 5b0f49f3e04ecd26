"""Wakeup trees (the sequences still to be explored) and sleep sets (the choices that need not be explored again).

This follows Abdulla, Aronis, Jonsson, Sagonas (Source sets: a foundation for optimal dynamic partial order reduction,
JACM 2017). Only the states on the path to the current execution have nodes. Explored subtrees are dropped, except for
the first operation of each branch, which is added to the sleep set.

This module uses choices instead of the paper's processes. A choice is a participant and, if its operation has several
outcomes, one of them. Two outcomes of one operation always conflict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raddle.schedulers.dependence import Choice, Operation, depend, may_depend
from raddle.schedulers.operation_log import Log
from raddle.schedulers.partial_order import Order, Race


class Branch:
    """A node of a wakeup tree: the sequences that begin with this choice and are still to be explored."""

    __slots__ = ("after", "choice", "operation")

    def __init__(self, choice: Choice, operation: Operation | None) -> None:
        self.choice = choice
        self.operation = operation  # None if the operation is known only after the step
        self.after: list[Branch] = []  # the subtrees that continue the sequence

    def leaves(self) -> int:
        """Return the number of leaves, which is the number of sequences in this subtree."""
        leaves, branches = 0, [self]
        while branches:
            branch = branches.pop()
            leaves += not branch.after
            branches += branch.after
        return leaves


class Node:
    """A state on the path to the current execution, with its sleep set and its wakeup tree."""

    __slots__ = ("aborting", "after", "branches", "infeasible", "sleeping", "taken")

    def __init__(self, sleeping: dict[Choice, Operation], branches: list[Branch]) -> None:
        self.sleeping = sleeping  # the sleep set: choices from which all executions have been explored
        self.branches = branches  # the wakeup tree, without the branch being explored
        self.after: list[Branch] = []  # continuations of the branch being explored
        self.taken: Choice | None = None  # first choice of the branch being explored; None if any choice is allowed
        self.aborting: Choice | None = None  # the choice in this state that aborted the execution
        self.infeasible: set[Choice] = set()  # choices that were planned here but turned out not to be enabled

    def successor(self, operation: Operation, conflicts: Sequence[int], descriptions: list[tuple[str, str]]) -> Node:
        """Return the node of the next state; `operation` is the operation that the taken choice performed."""
        sleeping: dict[Choice, Operation] = {}
        if self.sleeping:
            label = self.taken[0] if self.taken is not None else ""
            for choice, asleep in self.sleeping.items():
                if asleep.depth < 0:
                    conflict = depend(conflicts, asleep, operation)
                else:
                    conflict = may_depend(conflicts, asleep, operation, descriptions, asleep.depth)
                if not conflict and choice[0] != label:
                    sleeping[choice] = asleep
        node = Node(sleeping, self.after)
        if self.after:
            node.take_branch()
        return node

    def take_branch(self) -> bool:
        """Start exploring the next branch; return False if there is none."""
        if not self.branches:
            return False
        branch = self.branches.pop(0)
        self.taken, self.after = branch.choice, branch.after
        return True

    def put_to_sleep(self, operation: Operation) -> None:
        """Add the taken choice to the sleep set, because all executions that begin with it have been explored."""
        if self.taken is not None and self.taken != self.aborting:  # the aborting operation commutes with nothing
            self.sleeping[self.taken] = operation

    def mark_infeasible(self) -> None:
        """Record that the planned choice is not enabled, so that it is not planned again."""
        if self.taken is not None:
            self.infeasible.add(self.taken)
        self.after = []

    def update_operations(self, pending: Mapping[Choice, Operation]) -> None:
        """Replace operations recorded in earlier executions with the pending operations of this execution.

        An operation that is known only after its step is never pending, so the recorded one is kept.
        """
        for choice in self.sleeping:
            if choice in pending:
                self.sleeping[choice] = pending[choice]
        for branch in self.branches:
            if branch.choice in pending:
                branch.operation = pending[branch.choice]

    def insert(self, reversal: Reversal) -> None:
        """Insert a sequence into the wakeup tree, unless an equivalent prefix has been explored or planned."""
        if any(reversal.starts_with(choice) for choice in self.infeasible):
            return
        for choice, operation in self.sleeping.items():
            if reversal.has_weak_initial(choice, operation):
                return
        branches = self.branches
        while reversal:
            for branch in branches:
                if reversal.has_weak_initial(branch.choice, branch.operation):
                    if not branch.after and branch.operation is not None:
                        return
                    reversal.drop(branch.choice)
                    branches = branch.after
                    break
            else:
                for choice, known in reversal.sequence():
                    branch = Branch(choice, known)
                    branches.append(branch)
                    branches = branch.after
                return


class Reversal:
    """The sequence that reverses a race.

    Choices are dropped from the sequence while it is followed through the wakeup tree.
    """

    def __init__(self, race: Race, log: Log, order: Order, descriptions: list[tuple[str, str]]) -> None:
        self._race = race
        self._done = log.done
        self._before = order.before
        self._conflicts = log.calculus.conflicts
        self._descriptions = descriptions
        self._others = list(race.others)
        self._mask = 0
        for number in race.others:
            self._mask |= 1 << number
        self._last = True  # True while the sequence still contains the later operation of the race

    def __bool__(self) -> bool:
        return self._last

    def has_weak_initial(self, choice: Choice, operation: Operation | None) -> bool:
        """Return whether the choice is a weak initial: whether an equivalent extension of the sequence begins with it.

        `operation` is the operation that the choice performs if it comes first, or None if that is unknown. Accesses
        that are known only after a step may change once the race is reversed. So the accesses of the later operation
        count as unknown, too.
        """
        done, mask, race = self._done, self._mask, self._race
        label, alternative = choice
        for number in self._others:
            if done[number].label == label:
                return done[number].alternative == alternative and not (self._before[number] & mask) ^ (1 << number)
        is_last = race.choice == choice
        if race.choice[0] == label and (not is_last or race.after & mask):
            return False
        if operation is None or (is_last and operation.depth < 0):
            return is_last and (operation is not None or not mask)
        descriptions, common, conflicts = self._descriptions, race.first, self._conflicts
        if 0 <= operation.depth < common:
            common = operation.depth
        for number in self._others:
            if may_depend(conflicts, done[number].operation, operation, descriptions, common):
                return False
        if race.operation.depth >= 0:
            return is_last
        return not may_depend(conflicts, race.operation, operation, descriptions, common)

    def starts_with(self, choice: Choice) -> bool:
        """Return whether the sequence starts with this choice."""
        return self.sequence()[0][0] == choice

    def drop(self, choice: Choice) -> None:
        """Remove the choice from the sequence, if the sequence contains it."""
        for number in self._others:
            if (self._done[number].label, self._done[number].alternative) == choice:
                self._others.remove(number)
                self._mask ^= 1 << number
                return
        if self._race.choice == choice:
            self._last = False

    def sequence(self) -> list[tuple[Choice, Operation | None]]:
        """Return the choices of the sequence, each with its operation, or with None if that is unknown."""
        race, done = self._race, [self._done[number] for number in self._others]
        last = race.operation if race.operation.depth < 0 else None
        return [*(((one.label, one.alternative), one.operation) for one in done), (race.choice, last)]
