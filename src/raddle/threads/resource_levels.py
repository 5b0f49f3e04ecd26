"""How much of each resource there is after a set of operations, and which operation enables which.

Resources are the permits of a lock (one, while it is free) or a semaphore, items in a queue, room in it, unfinished
tasks. The change that each operation made is the difference of the levels just before it and before the next one. An
operation does the same in every execution in which the same came before it, so changes can be added up for any set.
"""

from __future__ import annotations

from raddle.schedulers.calculus import Past, Supplies
from raddle.schedulers.dependence import Operation
from raddle.schedulers.operation_log import Log
from raddle.threads.modes import (
    ARRIVE,
    CLEAR,
    ENDED,
    FREE,
    GET,
    GIVE,
    IS_SET,
    ITEM,
    MUTEX,
    NO_TASKS,
    PUT,
    ROOM,
    SET,
    SHUT,
    TAKE,
    TOLD,
    WRITE,
)

PERMITS, ITEMS, TASKS = range(3)  # the parts of a level; only a queue has them all
# By need: the mode of the operations that supply it, and of those that use it up.
_SIDES = {FREE: (GIVE, TAKE), TOLD: (GIVE, TAKE), ITEM: (PUT, GET), ROOM: (GET, PUT)}
_NEEDS_LEVELS = frozenset({*_SIDES, NO_TASKS, MUTEX, SHUT})


class _Supply:
    """What was given of a resource, and how much of it was taken."""

    __slots__ = ("base", "counted", "gives", "taken")

    def __init__(self) -> None:
        self.gives: list[int] = []
        self.taken = 0
        self.base: int | None = None  # how much there was just before the first give or take
        self.counted = 0  # operations

    def giver(self) -> int:
        """Return the operation whose give the next take takes; -1: it was there before."""
        missing = 0 if self.base is None else self.taken + 1 - self.base
        return self.gives[missing - 1] if 0 < missing <= len(self.gives) else -1


class ResourceLevels(Supplies):
    """The resources of one execution. Sets of operations are integers, a bit for each."""

    def __init__(self, log: Log) -> None:
        self._done = log.done
        self._final: dict[int, tuple[int, ...]] = {}  # levels at the end, by key
        # A mutex has one part and its queue, under the same key, has all: the queue comes last.
        for (key, _), level in sorted(log.levels.items()):
            self._final[key] = level
        self._changed: dict[tuple[int, int], dict[int, int]] = {}
        self._supplies: dict[tuple[int, int], _Supply] = {}
        self._by_key: dict[int, list[tuple[int, int]]] = {}  # what was done to each: number and mode, in order
        for number, one in enumerate(log.done):
            for key, mode, _ in one.operation.accesses:
                self._by_key.setdefault(key, []).append((number, mode))

    def possible(self, operation: Operation, within: int) -> bool:
        need = operation.need
        if need not in _NEEDS_LEVELS:  # nothing, or it comes after what enables it anyway
            return True
        key = operation.accesses[0][0]
        if need in (FREE, TOLD):
            return self._level(key, PERMITS, within, 1) > 0
        if self._level(key, PERMITS, within, 1) < 1:  # the queue's mutex
            return False
        if need == ITEM:
            return self._level(key, ITEMS, within, 1) > 0
        if need == ROOM:
            return bool(self._level(key, ITEMS, within, 0) < operation.detail)
        return need in (MUTEX, SHUT) or self._level(key, TASKS, within, 0) == 0

    def enabler(self, operation: Operation, within: int) -> int:
        # The first take needs what was there at first, the next ones a give each, in order.
        sides = _SIDES.get(operation.need)
        if sides is None:
            return -1
        supply = _Supply()
        for other, mode in self._by_key.get(operation.accesses[0][0], ()):
            if within >> other & 1:
                self._count(supply, operation, sides, other, mode)
        return supply.giver()

    def enabler_so_far(self, operation: Operation, number: int) -> int:
        sides = _SIDES.get(operation.need)
        if sides is None:
            return -1
        key = operation.accesses[0][0]
        supply = self._supplies.get((key, operation.need))
        if supply is None:
            supply = self._supplies[key, operation.need] = _Supply()
        done_to_it = self._by_key.get(key, ())
        while supply.counted < len(done_to_it) and done_to_it[supply.counted][0] < number:
            self._count(supply, operation, sides, *done_to_it[supply.counted])
            supply.counted += 1
        return supply.giver()

    def _count(self, supply: _Supply, operation: Operation, sides: tuple[int, int], number: int, mode: int) -> None:
        """Count one more operation."""
        give, take = sides
        # It is ordered with everything. A thread that takes a queue's mutex may change the items itself.
        if mode == WRITE or (mode in (TAKE, GIVE) and give != GIVE):
            supply.gives, supply.taken, supply.base = [], 0, None
        elif mode in sides:
            if supply.base is None:
                level = self._done[number].level
                assert level is not None
                part = PERMITS if give == GIVE else ITEMS
                supply.base = operation.detail - level[part] if operation.need == ROOM else level[part]
            if mode == take:
                supply.taken += 1
            elif give == GIVE:  # a semaphore may get several permits at once
                supply.gives += [number] * max(1, self._changes(operation.accesses[0][0], PERMITS).get(number, 1))
            else:
                supply.gives.append(number)

    def _changes(self, key: int, part: int) -> dict[int, int]:
        """Return by how much each operation changed a resource."""
        known = self._changed.get((key, part))
        if known is None:
            levels = [
                (number, level[part])
                for number, _ in self._by_key.get(key, ())
                if (level := self._done[number].level) is not None and len(level) > part
            ]
            after = [level for _, level in levels[1:]]
            if levels:
                final = self._final.get(key, ())
                after.append(final[part] if len(final) > part else levels[-1][1])
            known = {number: then - now for (number, now), then in zip(levels, after, strict=True)}
            self._changed[key, part] = known
        return known

    def _level(self, key: int, part: int, within: int, unknown: int) -> int:
        """Return how much there is if exactly the operations `within` were done."""
        changes = self._changes(key, part)
        for number in changes:
            first = self._done[number].level
            assert first is not None
            return first[part] + sum(change for other, change in changes.items() if within >> other & 1)
        final = self._final.get(key, ())
        return final[part] if len(final) > part else unknown

    # -- what only one operation can have enabled --------------------------------------------------

    def certain(self, label: str, operation: Operation, number: int, past: Past) -> int:
        need = operation.need
        if need == TOLD:
            return past.woken.get(label, 0)
        if need == ENDED:
            return past.reached.get(operation.detail, 0)
        if need == IS_SET:
            setter = self._setter(label, operation, number)
            return 0 if setter is None or setter < 0 else past.before[setter]
        if need == SHUT:  # the thread that shut the queue gave its mutex back
            done_to_it = self._by_key.get(operation.accesses[0][0], ())
            gives = [other for other, mode in done_to_it if mode == GIVE and other < number]
            return past.before[gives[-1]] if gives else 0
        return 0

    def hopeless(self, label: str, operation: Operation, number: int, past: Past) -> bool:
        need = operation.need
        if need == IS_SET:
            return self._setter(label, operation, number) is None
        return need == ENDED or (need == TOLD and label not in past.woken)

    def _setter(self, label: str, operation: Operation, number: int) -> int | None:
        """Return the set that ends a wait: the first after the last clear before the thread's arrival.

        -1: the event was set when the execution began; None: it was not set.
        """
        done, arrived = self._done, -1
        done_to_it = self._by_key.get(operation.accesses[0][0], ())
        for other, mode in done_to_it:
            if other < number and mode == ARRIVE and done[other].label == label:
                arrived = other
        found: int | None = None
        for place, (other, mode) in enumerate(done_to_it):
            if other >= number:
                break
            level = done[other].level
            if place == 0 and level and level[0]:
                found = -1
            if mode == CLEAR and other < arrived:
                found = None
            elif mode == SET and found is None:
                found = other
        return found
