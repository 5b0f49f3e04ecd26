"""The happens-before order of one execution, and its races.

Operations are numbered in the order in which they were performed. A set of operations is an integer with one bit per
operation. Three kinds of operations happen before an operation:

* its causal past: earlier operations of its participant, operations before the participant's start, and operations of
  joined participants;
* earlier operations that it depends on;
* the operation that enabled it, such as the send that enabled a receive.

Every linear extension of this order is a possible execution, and has the same happens-before order.

A race is a pair of dependent operations that could have happened in the opposite order. If an operation could have had
another outcome, as when a receive could have taken another message, that also counts as a race. Such races
generalize the race variants of Lei and Carver to all interactions between participants.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from raddle.schedulers.dependence import Choice, Operation, depend
from raddle.schedulers.operation_log import DoneOperation, EventKind, InterveningEvent, Log


class Race(NamedTuple):
    """A race and its reversal: instead of operation `first`, perform `others` and then `choice`."""

    first: int  # number of the earlier operation of the race
    others: tuple[int, ...]  # later operations that are not ordered after `first`
    choice: Choice  # the participant and the outcome of the later operation
    operation: Operation  # the later operation
    after: int  # set of operations that happen before the later operation once the race is reversed


class _Unperformed(NamedTuple):
    """An operation that was not performed, or an outcome that was not taken."""

    choice: Choice
    operation: Operation
    past: int  # causal past of the operation
    number: int  # number of operations that had been performed when the operation was pending


class Order:
    """The happens-before order of one execution, shared by all executions of the same partial order."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._conflicts = log.calculus.conflicts
        self._supplies = log.calculus.supplies(log)
        self.woken: dict[str, int] = {}  # maps a woken participant to the operations that happen before its wake-up
        self.reached: dict[str, int] = {}  # maps a participant to the operations that happen before its next one
        self._floor = 0  # operations before the last advance of virtual time; ordered before all that follow
        self._unperformed: list[_Unperformed] = []  # operations that were never enabled or never chosen
        self._untaken: list[_Unperformed] = []  # outcomes that were not taken
        self._pasts: list[int] = []  # causal past of each operation, by number
        self._accesses: dict[int, dict[int, int]] = {}  # operations that access a key in a mode, by key and mode
        self.before: list[int] = []  # by number: the operation together with all operations that happen before it
        self._scan()

    # -- the order ----------------------------------------------------------------------------------

    def _scan(self) -> None:
        done, between, all_conflicts = self._log.done, self._log.between, self._conflicts
        before, reached, accesses, supplies = self.before, self.reached, self._accesses, self._supplies
        closures: dict[int, dict[int, int]] = {}  # like `_accesses`, plus all operations that happen before them
        for number, one in enumerate(done):
            if number in between:
                self._apply_events(number, between[number])
            label, operation = one.label, one.operation
            past = reached.get(label, 0) | self._floor
            mask = 1 << number
            if one.options:
                self._keep_untaken(one, past, number)
            if operation.need:
                past |= 0 if one.late else supplies.certain_predecessors(label, operation, number, self)
                self.woken.pop(label, None)
                enabler = supplies.enabler_so_far(operation, number)
                mask |= before[enabler] if enabler >= 0 else 0
            mask |= past
            for key, mode, _ in operation.accesses:
                conflicts = all_conflicts[mode]
                for other, closure in closures.setdefault(key, {}).items():
                    if conflicts >> other & 1:
                        mask |= closure
            for key, mode, _ in operation.accesses:
                closures[key][mode] = closures[key].get(mode, 0) | mask
                by_mode = accesses.setdefault(key, {})
                by_mode[mode] = by_mode.get(mode, 0) | 1 << number
            if self._log.cut_short and number == len(done) - 1:
                mask = (2 << number) - 1  # the operation that aborted the execution commutes with nothing
            self._pasts.append(past)
            before.append(mask)
            reached[label] = mask
        self._apply_events(len(done), between.get(len(done), []))
        self._keep_unperformed(self._log.waiting, len(done))

    def _apply_events(self, number: int, events: list[InterveningEvent]) -> None:
        """Update the order with the events just before operation `number`."""
        for one in events:
            if one.what is EventKind.STARTED:
                self.reached[one.other] = self.reached.get(one.label, 0)
            elif one.what is EventKind.WOKE:
                self.woken[one.other] = self.reached.get(one.label, 0)
            else:
                self._keep_unperformed(one.waiting, number)
                self._floor = (1 << number) - 1

    def _keep_unperformed(self, waiting: tuple[tuple[Choice, Operation], ...], number: int) -> None:
        """Store the operations pending just before operation `number`, because they may have been enabled earlier."""
        for choice, operation in waiting:
            label = choice[0]
            if not self._supplies.never_possible(label, operation, number, self):
                past = self.reached.get(label, 0) | self._floor
                past |= self._supplies.certain_predecessors(label, operation, number, self)
                self._unperformed.append(_Unperformed(choice, operation, past, number))

    def _keep_untaken(self, one: DoneOperation, past: int, number: int) -> None:
        """Store the outcomes that an operation did not take, because they may have been possible here or earlier."""
        for alternative, operation in one.options:
            if alternative != one.alternative and not self._supplies.never_possible(one.label, operation, number, self):
                certain = (
                    self._supplies.certain_predecessors(one.label, operation, number, self) if operation.need else 0
                )
                self._untaken.append(_Unperformed((one.label, alternative), operation, past | certain, number))

    # -- races --------------------------------------------------------------------------------------

    def races(self) -> Iterator[Race]:
        """For each operation, yield its races with the nearest earlier operations.

        Races with even earlier operations are left out: reversing the nearest race will reveal them.
        """
        done = self._log.done
        for number, one in enumerate(done):
            earlier = self._conflicting_before(one.operation, number) & ~self._pasts[number]
            if earlier:
                choice = one.label, one.alternative
                yield from self._races(choice, one.operation, self._pasts[number], earlier, late=one.late)
        for untaken in self._untaken:
            yield from self._outcomes(untaken)
            yield from self._reversals(untaken, instead=untaken.number)
        last = len(done) - 1
        for unperformed in self._unperformed:
            yield from self._reversals(unperformed)
            choice, operation, past, number = unperformed
            if self._log.cut_short and number > last >= 0 and not past >> last & 1 and self._could(operation, last):
                yield Race(last, (), choice, operation, past)

    def _could(self, operation: Operation, number: int) -> bool:
        """Return whether `operation` was enabled just before operation `number`."""
        return self._supplies.possible(operation, (1 << number) - 1)

    def _conflicting_before(self, operation: Operation, number: int) -> int:
        """Return the operations before `number` that depend on `operation`."""
        found = 0
        for key, mode, _ in operation.accesses:
            conflicts = self._conflicts[mode]
            for other, accessing in self._accesses.get(key, {}).items():
                if conflicts >> other & 1:
                    found |= accessing
        return found & ((1 << number) - 1)

    def _reversals(self, unperformed: _Unperformed, instead: int = -1) -> Iterator[Race]:
        """Yield the races of an unperformed operation with earlier operations.

        `instead` is the number of the operation that the unperformed one would replace, or -1.
        """
        choice, operation, past, number = unperformed
        earlier = self._conflicting_before(operation, number) & ~past
        return self._races(choice, operation, past, earlier, late=False, instead=instead)

    def _races(
        self, choice: Choice, operation: Operation, past: int, earlier: int, *, late: bool, instead: int = -1
    ) -> Iterator[Race]:
        """Yield the races of an operation with the `earlier` operations, from the latest to the earliest."""
        before = self.before
        while earlier:
            first = earlier.bit_length() - 1  # the latest operation in the set
            others, within = self._not_after(first, instead)
            if late or not operation.need or self._supplies.possible(operation, within):
                earlier &= ~before[first]
                yield Race(first, others, choice, operation, self._predecessors(operation, past, others, within))
            else:
                earlier ^= 1 << first

    def _not_after(self, first: int, instead: int = -1) -> tuple[tuple[int, ...], int]:
        """Return the later operations that are not ordered after `first`, as a tuple and as a set.

        The set also contains all operations before `first`. If `instead` is not -1, that operation is left out, and so
        are all operations that are ordered after it.
        """
        before, excluded = self.before, 1 << first
        if instead >= 0:
            excluded |= 1 << instead
        others = tuple([n for n in range(first + 1, len(before)) if not before[n] & excluded])
        within = (1 << first) - 1
        for other in others:
            within |= 1 << other
        return others, within

    def _outcomes(self, untaken: _Unperformed) -> Iterator[Race]:
        """Yield the race between an untaken outcome and the outcome that was taken, if both were possible.

        The untaken outcome may have become possible through later operations that do not depend on the taken outcome.
        If the untaken outcome later became impossible again, the operations that conflict with it are left out.
        """
        choice, operation, past, first = untaken
        others, within = self._not_after(first)
        if not self._supplies.possible(operation, within):
            dependent = sum(1 << n for n in others if depend(self._conflicts, self._log.done[n].operation, operation))
            others = tuple([n for n in others if not self.before[n] & dependent])
            within = (1 << first) - 1 | sum(1 << n for n in others)
            if not self._supplies.possible(operation, within):
                return
        yield Race(first, others, choice, operation, self._predecessors(operation, past, others, within))

    def _predecessors(self, operation: Operation, past: int, others: tuple[int, ...], within: int) -> int:
        """Return the operations that happen before the later operation of a race once the race is reversed."""
        mask = past
        for other in others:
            if depend(self._conflicts, self._log.done[other].operation, operation):
                mask |= self.before[other]
        enabler = self._supplies.enabler(operation, within) if operation.need else -1
        return mask | self.before[enabler] if enabler >= 0 else mask
