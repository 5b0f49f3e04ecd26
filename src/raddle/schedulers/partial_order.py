"""The partial order behind one execution, and the races in it.

Operations are numbered in the order in which they were done; sets of them are integers, a bit for each. An
operation comes after those that its participant knew of when it came to it (its own, those before its start, those
of participants it joined), after those it depends on, and after the one that enabled it: the give for its take, the
send for its receive. Every linear extension of this order is an execution with the same order.

A race is a pair of operations that depend on each other, of which the later could have come first; or an operation
that could have had another outcome, such as a receive that could have taken another message. These are the race
variants of Lei and Carver, for everything that participants can do to each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from raddle.schedulers.dependence import Choice, Operation, depend
from raddle.schedulers.operation_log import Between, Done, Happening, Log


class Race(NamedTuple):
    """A way to depart from an execution: just before its operation `first`, do `others`, then `choice`."""

    first: int
    others: tuple[int, ...]  # operations that do not come after the first one, in order
    choice: Choice  # whose operation comes next, with which outcome
    operation: Operation
    after: int  # what that comes after


class _Left(NamedTuple):
    """An operation that was not done, or an outcome that was not taken."""

    choice: Choice
    operation: Operation
    known: int  # what its participant knew of
    number: int  # of the operations that were done before


class Order:
    """Everything about one execution that does not depend on how its operations were sorted."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._conflicts = log.calculus.conflicts
        self._supplies = log.calculus.supplies(log)
        self.woken: dict[str, int] = {}  # by participant that was woken: what comes before that
        self.reached: dict[str, int] = {}  # by participant: what comes before its next operation
        self._floor = 0  # what comes before everything, as time has passed since
        self._left: list[_Left] = []  # operations that were not done
        self._untaken: list[_Left] = []  # outcomes, by the operation that had another one
        self._known: list[int] = []  # by number: what its participant knew of when it came to it
        self._done_to: dict[int, dict[int, int]] = {}  # by key and mode: all that was done so
        self.before: list[int] = []  # by number: what comes before it, and itself
        self._scan()

    # -- the order ----------------------------------------------------------------------------------

    def _scan(self) -> None:
        done, between, all_conflicts = self._log.done, self._log.between, self._conflicts
        before, reached, done_to, supplies = self.before, self.reached, self._done_to, self._supplies
        folded: dict[int, dict[int, int]] = {}  # by key and mode: all that was done so, and what comes before
        for number, one in enumerate(done):
            if number in between:
                self._pass(number, between[number])
            label, operation = one.label, one.operation
            known = reached.get(label, 0) | self._floor
            mask = 1 << number
            if one.options:
                self._leave_untaken(one, known, number)
            if operation.need:
                known |= 0 if one.late else supplies.certain(label, operation, number, self)
                self.woken.pop(label, None)
                enabler = supplies.enabler_so_far(operation, number)
                mask |= before[enabler] if enabler >= 0 else 0
            mask |= known
            for key, mode, _ in operation.accesses:
                conflicts = all_conflicts[mode]
                for other, all_so in folded.setdefault(key, {}).items():
                    if conflicts >> other & 1:
                        mask |= all_so
            for key, mode, _ in operation.accesses:
                folded[key][mode] = folded[key].get(mode, 0) | mask
                done_so = done_to.setdefault(key, {})
                done_so[mode] = done_so.get(mode, 0) | 1 << number
            if self._log.cut_short and number == len(done) - 1:
                mask = (2 << number) - 1  # nothing can come after it
            self._known.append(known)
            before.append(mask)
            reached[label] = mask
        self._pass(len(done), between.get(len(done), []))
        self._leave(self._log.waiting, len(done))

    def _pass(self, number: int, happened: list[Between]) -> None:
        """Take account of what happened between two operations."""
        for one in happened:
            if one.what is Happening.STARTED:
                self.reached[one.other] = self.reached.get(one.label, 0)
            elif one.what is Happening.WOKE:
                self.woken[one.other] = self.reached.get(one.label, 0)
            else:
                self._leave(one.waiting, number)
                self._floor = (1 << number) - 1

    def _leave(self, waiting: tuple[tuple[Choice, Operation], ...], number: int) -> None:
        """Keep operations that could not be done: they may have been possible earlier."""
        for choice, operation in waiting:
            label = choice[0]
            if not self._supplies.hopeless(label, operation, number, self):
                known = self.reached.get(label, 0) | self._floor
                known |= self._supplies.certain(label, operation, number, self)
                self._left.append(_Left(choice, operation, known, number))

    def _leave_untaken(self, one: Done, known: int, number: int) -> None:
        """Keep the outcomes that an operation did not have: some may be possible here or earlier."""
        for alternative, operation in one.options:
            if alternative != one.alternative and not self._supplies.hopeless(one.label, operation, number, self):
                certain = self._supplies.certain(one.label, operation, number, self) if operation.need else 0
                self._untaken.append(_Left((one.label, alternative), operation, known | certain, number))

    # -- races --------------------------------------------------------------------------------------

    def races(self) -> Iterator[Race]:
        """Yield every race; of several in a row only the nearest: reversing that one reveals the others."""
        done = self._log.done
        for number, one in enumerate(done):
            earlier = self._earlier(one.operation, number) & ~self._known[number]
            if earlier:
                choice = one.label, one.alternative
                yield from self._races(choice, one.operation, self._known[number], earlier, late=one.late)
        for left in self._untaken:
            yield from self._outcomes(left)
            yield from self._reversals(left, instead=left.number)
        last = len(done) - 1
        for left in self._left:
            yield from self._reversals(left)
            choice, operation, known, number = left
            if self._log.cut_short and number > last >= 0 and not known >> last & 1 and self._could(operation, last):
                yield Race(last, (), choice, operation, known)

    def _could(self, operation: Operation, number: int) -> bool:
        """Return whether it could be done just before that one."""
        return self._supplies.possible(operation, (1 << number) - 1)

    def _earlier(self, operation: Operation, number: int) -> int:
        """Return what was done earlier and depends on the operation."""
        found = 0
        for key, mode, _ in operation.accesses:
            conflicts = self._conflicts[mode]
            for other, done_so in self._done_to.get(key, {}).items():
                if conflicts >> other & 1:
                    found |= done_so
        return found & ((1 << number) - 1)

    def _reversals(self, left: _Left, instead: int = -1) -> Iterator[Race]:
        """Yield the races of what was not done with what was done before; `instead`: of what was done in its place."""
        choice, operation, known, number = left
        earlier = self._earlier(operation, number) & ~known
        return self._races(choice, operation, known, earlier, late=False, instead=instead)

    def _races(
        self, choice: Choice, operation: Operation, known: int, earlier: int, *, late: bool, instead: int = -1
    ) -> Iterator[Race]:
        before = self.before
        while earlier:
            first = earlier.bit_length() - 1  # the latest of them
            others, within = self._not_after(first, instead)
            if late or not operation.need or self._supplies.possible(operation, within):
                earlier &= ~before[first]
                yield Race(first, others, choice, operation, self._after(operation, known, others, within))
            else:
                earlier ^= 1 << first

    def _not_after(self, first: int, instead: int = -1) -> tuple[tuple[int, ...], int]:
        """Return the later operations that do not come after that one; and as a set, with those before it.

        If an operation is done `instead` of another one, what comes after that one is left out as well.
        """
        before, excluded = self.before, 1 << first
        if instead >= 0:
            excluded |= 1 << instead
        others = tuple([n for n in range(first + 1, len(before)) if not before[n] & excluded])
        within = (1 << first) - 1
        for other in others:
            within |= 1 << other
        return others, within

    def _outcomes(self, left: _Left) -> Iterator[Race]:
        """Yield the race of an outcome with the one that was taken, if it was possible here.

        Others may have enabled it later, without knowing of the one that was taken. If they also disabled it, those
        that it depends on are left out.
        """
        choice, operation, known, first = left
        others, within = self._not_after(first)
        if not self._supplies.possible(operation, within):
            spoiled = sum(1 << n for n in others if depend(self._conflicts, self._log.done[n].operation, operation))
            others = tuple([n for n in others if not self.before[n] & spoiled])
            within = (1 << first) - 1 | sum(1 << n for n in others)
            if not self._supplies.possible(operation, within):
                return
        yield Race(first, others, choice, operation, self._after(operation, known, others, within))

    def _after(self, operation: Operation, known: int, others: tuple[int, ...], within: int) -> int:
        """Return what an operation comes after if it is done before the first one of a race."""
        mask = known
        for other in others:
            if depend(self._conflicts, self._log.done[other].operation, operation):
                mask |= self.before[other]
        enabler = self._supplies.enabler(operation, within) if operation.need else -1
        return mask | self.before[enabler] if enabler >= 0 else mask
