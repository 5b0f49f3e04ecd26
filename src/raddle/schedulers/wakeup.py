"""What is left to explore, and what need not be explored again: wakeup trees and sleep sets.

After Abdulla, Aronis, Jonsson, Sagonas (Source sets: a foundation for optimal dynamic partial order reduction, JACM
2017). Only the path to the current execution has nodes; what was explored is forgotten, up to the first operation of
each branch, which sleeps.

Where the paper has processes, nodes and branches have choices: a participant, and the outcome of its operation if it
can have several. Two outcomes of one operation always conflict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from raddle.schedulers.dependence import Choice, Operation, depend, may_depend
from raddle.schedulers.operation_log import Log
from raddle.schedulers.partial_order import Order, Race


class Branch:
    """A sequence still to be explored begins with this choice; the branches after it are its continuations."""

    __slots__ = ("after", "choice", "operation")

    def __init__(self, choice: Choice, operation: Operation | None) -> None:
        self.choice = choice
        self.operation = operation  # None: not known before it is done
        self.after: list[Branch] = []

    def ends(self) -> int:
        """Return the number of sequences."""
        ends, branches = 0, [self]
        while branches:
            branch = branches.pop()
            ends += not branch.after
            branches += branch.after
        return ends


class Node:
    """A state on the path to the current execution."""

    __slots__ = ("after", "branches", "ending", "impossible", "sleeping", "taken")

    def __init__(self, sleeping: dict[Choice, Operation], branches: list[Branch]) -> None:
        self.sleeping = sleeping  # choices that need not come first any more: all that begins so was explored
        self.branches = branches  # still to be explored, the one being explored not among them
        self.after: list[Branch] = []  # continuations of the one being explored
        self.taken: Choice | None = None  # the first choice of the one being explored; None: any will do
        self.ending: Choice | None = None  # the choice that, taken here, ended the whole execution in the middle
        self.impossible: set[Choice] = set()  # choices that were planned to come first, and could not be taken

    def next(self, operation: Operation, conflicts: Sequence[int], looks: list[tuple[str, str]]) -> Node:
        """Return the state after the taken choice, which turned out to be that operation."""
        sleeping: dict[Choice, Operation] = {}
        if self.sleeping:
            label = self.taken[0] if self.taken is not None else ""
            for choice, known in self.sleeping.items():
                if known.depth < 0:
                    conflict = depend(conflicts, known, operation)
                else:
                    conflict = may_depend(conflicts, known, operation, looks, known.depth)
                if not conflict and choice[0] != label:
                    sleeping[choice] = known
        node = Node(sleeping, self.after)
        if self.after:
            node.take_branch()
        return node

    def take_branch(self) -> bool:
        """Explore the next branch, if there is one."""
        if not self.branches:
            return False
        branch = self.branches.pop(0)
        self.taken, self.after = branch.choice, branch.after
        return True

    def tried(self, operation: Operation) -> None:
        """Put the taken choice to sleep: everything that begins with it was explored."""
        if self.taken is not None and self.taken != self.ending:  # what ends everything commutes with nothing
            self.sleeping[self.taken] = operation

    def give_up(self) -> None:
        """Note that the planned choice cannot be taken: if it were planned again, the search would not end."""
        if self.taken is not None:
            self.impossible.add(self.taken)
        self.after = []

    def translate(self, pending: Mapping[Choice, Operation]) -> None:
        """Replace operations of other executions by the pending ones of this execution.

        An operation that is known only after its step is not pending: the one that fell asleep stays as it was.
        """
        for choice in self.sleeping:
            if choice in pending:
                self.sleeping[choice] = pending[choice]
        for branch in self.branches:
            if branch.choice in pending:
                branch.operation = pending[branch.choice]

    def plan(self, rest: Rest) -> None:
        """Plan a sequence, unless an execution that begins so has already been explored or planned."""
        if any(rest.begins_with(choice) for choice in self.impossible):
            return
        for choice, operation in self.sleeping.items():
            if rest.may_begin_with(choice, operation):
                return
        branches = self.branches
        while rest:
            for branch in branches:
                if rest.may_begin_with(branch.choice, branch.operation):
                    if not branch.after and branch.operation is not None:
                        return
                    rest.drop(branch.choice)
                    branches = branch.after
                    break
            else:
                for choice, known in rest.sequence():
                    branch = Branch(choice, known)
                    branches.append(branch)
                    branches = branch.after
                return


class Rest:
    """The rest of the sequence that reverses a race, as it is followed through the wakeup tree."""

    def __init__(self, race: Race, log: Log, order: Order, looks: list[tuple[str, str]]) -> None:
        self._race = race
        self._done = log.done
        self._before = order.before
        self._conflicts = log.calculus.conflicts
        self._looks = looks
        self._others = list(race.others)
        self._mask = 0
        for number in race.others:
            self._mask |= 1 << number
        self._last = True  # is the later operation of the race still to come?

    def __bool__(self) -> bool:
        return self._last

    def may_begin_with(self, choice: Choice, operation: Operation | None) -> bool:
        """Return whether some execution with this sequence in it, sorted another way, begins with the choice.

        `operation` is what the choice does if it comes first; None: that is not known. Accesses that show only after
        a step can be others once a race is reversed, so those of the race's later operation are not known either.
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
        looks, common, conflicts = self._looks, race.first, self._conflicts
        if 0 <= operation.depth < common:
            common = operation.depth
        for number in self._others:
            if may_depend(conflicts, done[number].operation, operation, looks, common):
                return False
        if race.operation.depth >= 0:
            return is_last
        return not may_depend(conflicts, race.operation, operation, looks, common)

    def begins_with(self, choice: Choice) -> bool:
        """Return whether the sequence itself begins with the choice."""
        return self.sequence()[0][0] == choice

    def drop(self, choice: Choice) -> None:
        """Take the choice out of the sequence, which need not contain it."""
        for number in self._others:
            if (self._done[number].label, self._done[number].alternative) == choice:
                self._others.remove(number)
                self._mask ^= 1 << number
                return
        if self._race.choice == choice:
            self._last = False

    def sequence(self) -> list[tuple[Choice, Operation | None]]:
        """Return the choices, and what each of them does as far as that is known."""
        race, done = self._race, [self._done[number] for number in self._others]
        last = race.operation if race.operation.depth < 0 else None
        return [*(((one.label, one.alternative), one.operation) for one in done), (race.choice, last)]
