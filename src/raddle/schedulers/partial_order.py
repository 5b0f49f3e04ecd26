"""The partial order behind one execution, and the races in it.

Operations are numbered in the order in which they were done; sets of them are integers, a bit for each. An
operation comes after those that its thread knew of when it came to it (its own, those before its start, those of
threads it joined), after those it depends on, and after the one that made it possible: the give for its take, the
room for its put. All ways to sort the operations that keep this order are executions, and have the same order.

A race is a pair of operations that depend on each other, of which the later could have come first: the race
variants of Lei and Carver, for everything that threads can do to each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from raddle.operation import START
from raddle.schedulers.dependence import (
    ARRIVE,
    CLEAR,
    CONFLICTS,
    ENDED,
    GIVE,
    IS_SET,
    SET,
    SHUT,
    TOLD,
    Operation,
    depend,
)
from raddle.schedulers.operation_log import Between, Log
from raddle.schedulers.resource_levels import Stock


class Race(NamedTuple):
    """Two operations that could have come the other way round: what to do then, from just before the first."""

    first: int
    others: tuple[int, ...]  # what does not come after the first one, in order
    label: str  # whose operation comes next
    operation: Operation
    after: int  # what that comes after


class Order:
    """Everything about one execution that does not depend on how its operations were sorted."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._stock = Stock(log.done, log.levels)
        self._told: dict[str, int] = {}
        self._reached: dict[str, int] = {}  # by thread: what comes before its next operation
        self._arrived: dict[str, int] = {}  # by thread: when it came to wait for an event
        self._floor = 0  # what comes before everything, as time has passed since
        self._left: list[tuple[str, Operation, int, int]] = []  # not done: label, operation, known, and when it was
        self._known: list[int] = []  # by number: what its thread knew of when it came to it
        self._done_to: dict[int, dict[int, int]] = {}  # by key and mode: all that was done so
        self.before: list[int] = []  # by number: what comes before it, and itself
        self._scan()

    # -- the order ----------------------------------------------------------------------------------

    def _scan(self) -> None:
        done, between = self._log.done, self._log.between
        folded: dict[int, dict[int, int]] = {}  # by key and mode: all that was done so, and what comes before
        for number, one in enumerate(done):
            if number in between:
                self._pass(number, between[number])
            label, operation = one.label, one.operation
            known = self._reached.get(label, 0) | self._floor
            mask = 1 << number
            if operation.need:
                known |= 0 if one.late else self._made_possible(label, operation, number)
                self._told.pop(label, None)
                giver = self._stock.giver_so_far(operation, number)
                mask |= self.before[giver] if giver >= 0 else 0
            mask |= known
            for key, mode, _ in operation.accesses:
                conflicts = CONFLICTS[mode]
                for other, all_so in folded.setdefault(key, {}).items():
                    if conflicts >> other & 1:
                        mask |= all_so
            for key, mode, _ in operation.accesses:
                folded[key][mode] = folded[key].get(mode, 0) | mask
                done_so = self._done_to.setdefault(key, {})
                done_so[mode] = done_so.get(mode, 0) | 1 << number
                if mode == ARRIVE:
                    self._arrived[label] = number
            if self._log.cut_short and number == len(done) - 1:
                mask = (2 << number) - 1  # nobody can come after it
            self._known.append(known)
            self.before.append(mask)
            self._reached[label] = mask
        self._pass(len(done), between.get(len(done), []))
        self._leave(self._log.waiting, len(done))

    def _pass(self, number: int, happened: list[Between]) -> None:
        """What happened between two operations."""
        for what in happened:
            if what.kind == START:
                self._reached[what.other] = self._reached.get(what.label, 0)
            elif what.kind == "told":
                self._told[what.other] = self._reached.get(what.label, 0)
            else:
                self._leave(what.waiting, number)
                self._floor = (1 << number) - 1

    def _leave(self, waiting: tuple[tuple[str, Operation], ...], number: int) -> None:
        """Operations that could not be done may have been possible earlier."""
        for label, operation in waiting:
            if operation.need == ENDED or (operation.need == TOLD and label not in self._told):
                continue
            if operation.need == IS_SET and self._setter(label, operation, number) is None:
                continue
            known = self._reached.get(label, 0) | self._floor | self._made_possible(label, operation, number)
            self._left.append((label, operation, known, number))

    def _made_possible(self, label: str, operation: Operation, number: int) -> int:
        """What comes before, as nothing else could have made the operation possible."""
        if operation.need == TOLD:
            return self._told.get(label, 0)
        if operation.need == ENDED:
            return self._reached.get(operation.other, 0)
        if operation.need == IS_SET:
            setter = self._setter(label, operation, number)
            return 0 if setter is None or setter < 0 else self.before[setter]
        if operation.need == SHUT:  # whoever shut the queue gave its mutex back
            done_to_it = self._stock.by_key.get(operation.accesses[0][0], ())
            gives = [other for other, mode in done_to_it if mode == GIVE and other < number]
            return self.before[gives[-1]] if gives else 0
        return 0

    def _setter(self, label: str, operation: Operation, number: int) -> int | None:
        """Who set the event that a thread waits for: the first after the last clearing before its arrival.

        -1: it was set when the execution began.
        """
        arrived = self._arrived.get(label, -1)
        found: int | None = None
        for place, (other, mode) in enumerate(self._stock.by_key.get(operation.accesses[0][0], ())):
            if other >= number:
                break
            level = self._log.done[other].level
            if place == 0 and level and level[0]:
                found = -1
            if mode == CLEAR and other < arrived:
                found = None
            elif mode == SET and found is None:
                found = other
        return found

    # -- races --------------------------------------------------------------------------------------

    def races(self) -> Iterator[Race]:
        """Every race; of several in a row only the nearest: the others show when that one is turned round."""
        done = self._log.done
        for number, one in enumerate(done):
            earlier = self._earlier(one.operation, number) & ~self._known[number]
            if earlier:
                yield from self._races(one.label, one.operation, self._known[number], earlier, late=one.late)
        last = len(done) - 1
        for label, operation, known, number in self._left:
            yield from self._races(label, operation, known, self._earlier(operation, number) & ~known, late=False)
            if self._log.cut_short and number > last >= 0 and not known >> last & 1 and self._could(operation, last):
                yield Race(last, (), label, operation, known)

    def _could(self, operation: Operation, number: int) -> bool:
        """Could it be done just before that one?"""
        return self._stock.possible(operation, (1 << number) - 1)

    def _earlier(self, operation: Operation, number: int) -> int:
        """What was done earlier and depends on the operation."""
        found = 0
        for key, mode, _ in operation.accesses:
            conflicts = CONFLICTS[mode]
            for other, done_so in self._done_to.get(key, {}).items():
                if conflicts >> other & 1:
                    found |= done_so
        return found & ((1 << number) - 1)

    def _races(self, label: str, operation: Operation, known: int, earlier: int, *, late: bool) -> Iterator[Race]:
        before = self.before
        while earlier:
            first = earlier.bit_length() - 1  # the latest of them
            others = tuple([n for n in range(first + 1, len(before)) if not before[n] >> first & 1])
            within = (1 << first) - 1
            for other in others:
                within |= 1 << other
            if late or not operation.need or self._stock.possible(operation, within):
                earlier &= ~before[first]
                yield Race(first, others, label, operation, self._after(operation, known, others, within))
            else:
                earlier ^= 1 << first

    def _after(self, operation: Operation, known: int, others: tuple[int, ...], within: int) -> int:
        """What an operation comes after if it is done before the first one of a race."""
        mask = known
        for other in others:
            if depend(self._log.done[other].operation, operation):
                mask |= self.before[other]
        giver = self._stock.giver(operation, within) if operation.need else -1
        return mask | self.before[giver] if giver >= 0 else mask
