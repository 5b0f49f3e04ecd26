"""Which executions are still to be tried, and which need not be: wakeup trees and sleep sets.

After Abdulla, Aronis, Jonsson, Sagonas (Source sets: a foundation for optimal dynamic partial order reduction, JACM
2017). Only the path to the current execution has nodes; what was tried is forgotten, up to the first operation of
each branch, which sleeps.
"""

from __future__ import annotations

from collections.abc import Mapping

from raddle.schedulers.dependence import Operation, depend, may_depend
from raddle.schedulers.operation_log import Log
from raddle.schedulers.partial_order import Order, Race


class Branch:
    """A sequence still to be tried begins with this thread; the branches after it are the ways to go on."""

    __slots__ = ("after", "label", "operation")

    def __init__(self, label: str, operation: Operation) -> None:
        self.label = label
        self.operation = operation
        self.after: list[Branch] = []

    def ends(self) -> int:
        """In how many ways it goes on."""
        ends, branches = 0, [self]
        while branches:
            branch = branches.pop()
            ends += not branch.after
            branches += branch.after
        return ends


class Node:
    """A state on the path to the current execution."""

    __slots__ = ("after", "branches", "ending", "impossible", "sleeping", "taken")

    def __init__(self, sleeping: dict[str, Operation], branches: list[Branch]) -> None:
        self.sleeping = sleeping  # by label: who need not go first any more, as all that begins so was had
        self.branches = branches  # still to be tried, the one being tried not among them
        self.after: list[Branch] = []  # how to go on after the one being tried
        self.taken = ""  # who goes first in the one being tried; "": whoever likes
        self.ending = ""  # whose operation, done here, ended the whole execution in the middle
        self.impossible: set[str] = set()  # who was foreseen to go first, and could not

    def next(self, operation: Operation) -> Node:
        """The state after the one being tried began with that operation."""
        sleeping = {label: known for label, known in self.sleeping.items() if not depend(known, operation)}
        node = Node(sleeping, self.after)
        node.take_branch()
        return node

    def take_branch(self) -> bool:
        """Try the next branch, if there is one."""
        if not self.branches:
            return False
        branch = self.branches.pop(0)
        self.taken, self.after = branch.label, branch.after
        return True

    def tried(self, operation: Operation) -> None:
        """Everything that begins with what was taken here was had."""
        if self.taken != self.ending:  # an operation that ends everything commutes with nothing: it cannot sleep
            self.sleeping[self.taken] = operation

    def give_up(self) -> None:
        """Who was to go first cannot: it is not to be planned again, or the search would not end."""
        self.impossible.add(self.taken)
        self.after = []

    def translate(self, pending: Mapping[str, Operation]) -> None:
        """What is known of operations from other executions, in terms of this one."""
        for label in self.sleeping:
            if label in pending:
                self.sleeping[label] = pending[label]
        for branch in self.branches:
            if branch.label in pending:
                branch.operation = pending[branch.label]

    def plan(self, rest: Rest) -> None:
        """Have a sequence tried, unless an execution that begins so was had or is planned."""
        if any(rest.begins_with(label) for label in self.impossible):
            return
        for label, operation in self.sleeping.items():
            if rest.may_begin_with(label, operation):
                return
        branches = self.branches
        while rest:
            for branch in branches:
                if rest.may_begin_with(branch.label, branch.operation):
                    if not branch.after:
                        return
                    rest.drop(branch.label)
                    branches = branch.after
                    break
            else:
                for label, operation in rest.sequence():
                    branch = Branch(label, operation)
                    branches.append(branch)
                    branches = branch.after
                return


class Rest:
    """What is left of the sequence that turns a race round, as it is followed through the tree of those planned."""

    def __init__(self, race: Race, log: Log, order: Order, looks: list[tuple[str, str]]) -> None:
        self._race = race
        self._done = log.done
        self._before = order.before
        self._looks = looks
        self._others = list(race.others)
        self._mask = 0
        for number in race.others:
            self._mask |= 1 << number
        self._last = True  # is the later operation of the race still to come?

    def __bool__(self) -> bool:
        return self._last

    def may_begin_with(self, label: str, operation: Operation) -> bool:
        """Is there an execution with this sequence in it, sorted another way, that begins with the thread?"""
        done, mask, race = self._done, self._mask, self._race
        for number in self._others:
            if done[number].label == label:
                return not (self._before[number] & mask) ^ (1 << number)
        if race.label == label:
            return not race.after & mask
        looks, common = self._looks, race.first
        for number in self._others:
            if may_depend(done[number].operation, operation, looks, common):
                return False
        return not may_depend(race.operation, operation, looks, common)

    def begins_with(self, label: str) -> bool:
        """Does the sequence itself begin with the thread?"""
        return (self._done[self._others[0]].label if self._others else self._race.label) == label

    def drop(self, label: str) -> None:
        """The thread's first operation is done; it may not be in the sequence at all."""
        for number in self._others:
            if self._done[number].label == label:
                self._others.remove(number)
                self._mask ^= 1 << number
                return
        if self._race.label == label:
            self._last = False

    def sequence(self) -> list[tuple[str, Operation]]:
        found = [(self._done[number].label, self._done[number].operation) for number in self._others]
        return [*found, (self._race.label, self._race.operation)]
