"""Computes resource levels after a set of operations, and determines which operation enables which.

Resources are the permits of a lock (one if the lock is free) or of a semaphore, and the items, free slots and
unfinished tasks of a queue. The change made by an operation is the level before the next operation minus the level
before this one. An operation has the same effect in every execution with the same past, so the changes made by any set
of operations can be added up.
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
    NOTIFIED,
    PUT,
    ROOM,
    SET,
    SHUT,
    TAKE,
    WRITE,
)

PERMITS, ITEMS, TASKS = range(3)  # indexes of the parts of a level; only a queue has all three
# Maps a need to the mode of the operations that supply what is needed and the mode of those that consume it.
_SIDES = {FREE: (GIVE, TAKE), NOTIFIED: (GIVE, TAKE), ITEM: (PUT, GET), ROOM: (GET, PUT)}
_NEEDS_LEVELS = frozenset({*_SIDES, NO_TASKS, MUTEX, SHUT})


class _Supply:
    """The gives of a resource, and the number of takes."""

    __slots__ = ("base", "counted", "gives", "taken")

    def __init__(self) -> None:
        self.gives: list[int] = []
        self.taken = 0
        self.base: int | None = None  # the level just before the first give or take
        self.counted = 0  # number of operations counted so far

    def giver(self) -> int:
        """Return the number of the give that enables the next take, or -1 if the initial level enables it."""
        missing = 0 if self.base is None else self.taken + 1 - self.base
        return self.gives[missing - 1] if 0 < missing <= len(self.gives) else -1


class ResourceLevels(Supplies):
    """The resource levels of one execution. An integer with one bit per operation represents a set of operations."""

    def __init__(self, log: Log) -> None:
        self._done = log.done
        self._final: dict[int, tuple[int, ...]] = {}  # maps a resource's key to its level at the end
        # A mutex and its queue share a key. The queue's level has all parts and sorts last, so it replaces the mutex's
        # level.
        for (key, _), level in sorted(log.levels.items()):
            self._final[key] = level
        self._change_cache: dict[tuple[int, int], dict[int, int]] = {}
        self._supplies: dict[tuple[int, int], _Supply] = {}
        self._by_key: dict[int, list[tuple[int, int]]] = {}  # maps a key to the operations on it, as (number, mode)
        for number, one in enumerate(log.done):
            for key, mode, _ in one.operation.accesses:
                self._by_key.setdefault(key, []).append((number, mode))

    def possible(self, operation: Operation, within: int) -> bool:
        need = operation.need
        if need not in _NEEDS_LEVELS:  # nothing is needed, or the partial order already accounts for the enabler
            return True
        key = operation.accesses[0][0]
        if need in (FREE, NOTIFIED):
            return self._level(key, PERMITS, within, 1) > 0
        if self._level(key, PERMITS, within, 1) < 1:  # the queue's mutex is held
            return False
        if need == ITEM:
            return self._level(key, ITEMS, within, 1) > 0
        if need == ROOM:
            return bool(self._level(key, ITEMS, within, 0) < operation.detail)
        return need in (MUTEX, SHUT) or self._level(key, TASKS, within, 0) == 0

    def enabler(self, operation: Operation, within: int) -> int:
        # The first takes use up the initial level. Each later take needs one give, in order.
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
        uses = self._by_key.get(key, ())
        while supply.counted < len(uses) and uses[supply.counted][0] < number:
            self._count(supply, operation, sides, *uses[supply.counted])
            supply.counted += 1
        return supply.giver()

    def _count(self, supply: _Supply, operation: Operation, sides: tuple[int, int], number: int, mode: int) -> None:
        """Add one operation to a supply."""
        give, take = sides
        # Restart the count after a write, which conflicts with everything, and after operations on a queue's mutex,
        # whose holder may change the items.
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
            elif give == GIVE:  # one release of a semaphore may add several permits
                supply.gives += [number] * max(1, self._changes(operation.accesses[0][0], PERMITS).get(number, 1))
            else:
                supply.gives.append(number)

    def _changes(self, key: int, part: int) -> dict[int, int]:
        """Return the change that each operation made to one part of a resource's level."""
        cached = self._change_cache.get((key, part))
        if cached is None:
            levels = [
                (number, level[part])
                for number, _ in self._by_key.get(key, ())
                if (level := self._done[number].level) is not None and len(level) > part
            ]
            after = [level for _, level in levels[1:]]
            if levels:
                final = self._final.get(key, ())
                after.append(final[part] if len(final) > part else levels[-1][1])
            cached = {number: later - earlier for (number, earlier), later in zip(levels, after, strict=True)}
            self._change_cache[key, part] = cached
        return cached

    def _level(self, key: int, part: int, within: int, default: int) -> int:
        """Return one part of the level after exactly the operations in the set `within`; `default` if it is unknown."""
        changes = self._changes(key, part)
        for number in changes:
            first = self._done[number].level
            assert first is not None
            return first[part] + sum(change for other, change in changes.items() if within >> other & 1)
        final = self._final.get(key, ())
        return final[part] if len(final) > part else default

    # -- operations with a single possible enabler --------------------------------------------------

    def certain_predecessors(self, label: str, operation: Operation, number: int, past: Past) -> int:
        need = operation.need
        if need == NOTIFIED:
            return past.woken.get(label, 0)
        if need == ENDED:
            return past.reached.get(operation.detail, 0)
        if need == IS_SET:
            setter = self._setter(label, operation, number)
            return 0 if setter is None or setter < 0 else past.before[setter]
        if need == SHUT:  # the thread that shut down the queue released the mutex last
            uses = self._by_key.get(operation.accesses[0][0], ())
            gives = [other for other, mode in uses if mode == GIVE and other < number]
            return past.before[gives[-1]] if gives else 0
        return 0

    def never_possible(self, label: str, operation: Operation, number: int, past: Past) -> bool:
        need = operation.need
        if need == IS_SET:
            return self._setter(label, operation, number) is None
        return need == ENDED or (need == NOTIFIED and label not in past.woken)

    def _setter(self, label: str, operation: Operation, number: int) -> int | None:
        """Return the number of the `set` operation that ends a thread's wait on an event.

        This operation is the first `set` after the last `clear` before the thread's arrival. The result is -1 if the
        event was set when the execution began, and None if no `set` ends the wait.
        """
        done, arrived = self._done, -1
        uses = self._by_key.get(operation.accesses[0][0], ())
        for other, mode in uses:
            if other < number and mode == ARRIVE and done[other].label == label:
                arrived = other
        found: int | None = None
        for place, (other, mode) in enumerate(uses):
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
