"""How much of each resource there is once certain operations were done, and which give a take lives on.

Permits of a lock (one, while nobody holds it) or a semaphore, items in a queue, room in it, unfinished tasks. What
each operation changed is seen from the levels just before it and before the next one. An operation does the same
in every execution in which the same came before it, so its change can be added up in any of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from raddle.schedulers.dependence import (
    FREE,
    GET,
    GIVE,
    ITEM,
    MUTEX,
    NO_TASKS,
    PUT,
    ROOM,
    SHUT,
    TAKE,
    TOLD,
    WRITE,
    Operation,
)

PERMITS, ITEMS, TASKS = range(3)  # the parts of a level; only a queue has them all
_SIDES = {FREE: (GIVE, TAKE), TOLD: (GIVE, TAKE), ITEM: (PUT, GET), ROOM: (GET, PUT)}


class Done(NamedTuple):
    """An operation as it was done."""

    label: str
    operation: Operation
    level: tuple[int, ...] | None = None  # of its resource, just before
    late: bool = False  # the time for its wait was over


class _Supply:
    """What was given of something, and how much of it was taken."""

    __slots__ = ("base", "counted", "gives", "taken")

    def __init__(self) -> None:
        self.gives: list[int] = []
        self.taken = 0
        self.base: int | None = None  # how much there was just before the first give or take
        self.counted = 0  # operations

    def giver(self) -> int:
        """Who gave what the next take takes; -1: it was there before."""
        missing = 0 if self.base is None else self.taken + 1 - self.base
        return self.gives[missing - 1] if 0 < missing <= len(self.gives) else -1


class Stock:
    """The resources of one execution. Sets of operations are integers, a bit for each."""

    def __init__(self, done: Sequence[Done], final: dict[tuple[int, int], tuple[int, ...]]) -> None:
        self._done = done
        self._final: dict[int, tuple[int, ...]] = {}  # levels at the end, by key
        for (key, _), level in sorted(final.items()):  # of a mutex and of its queue: that of the queue has all parts
            self._final[key] = level
        self._changed: dict[tuple[int, int], dict[int, int]] = {}
        self._supplies: dict[tuple[int, int], _Supply] = {}
        self.by_key: dict[int, list[tuple[int, int]]] = {}  # what was done to each: number and mode, in order
        for number, one in enumerate(done):
            for key, mode, _ in one.operation.accesses:
                self.by_key.setdefault(key, []).append((number, mode))

    def possible(self, operation: Operation, within: int) -> bool:
        """Could it be done if exactly those operations had been done?"""
        need = operation.need
        if need not in _NEEDS_STOCK:  # nothing, or it comes after what makes it possible anyway
            return True
        key = operation.accesses[0][0]
        if need in (FREE, TOLD):
            return self._level(key, PERMITS, within, 1) > 0
        if self._level(key, PERMITS, within, 1) < 1:  # the queue's mutex
            return False
        if need == ITEM:
            return self._level(key, ITEMS, within, 1) > 0
        if need == ROOM:
            return self._level(key, ITEMS, within, 0) < operation.limit
        return need in (MUTEX, SHUT) or self._level(key, TASKS, within, 0) == 0

    def giver(self, operation: Operation, within: int) -> int:
        """The operation that makes this one possible if only those had been done; -1: it was possible anyway.

        The first take needs what was there at first, the next ones a give each, in order.
        """
        sides = _SIDES.get(operation.need)
        if sides is None:
            return -1
        supply = _Supply()
        for other, mode in self.by_key.get(operation.accesses[0][0], ()):
            if within >> other & 1:
                self._count(supply, operation, sides, other, mode)
        return supply.giver()

    def giver_so_far(self, operation: Operation, number: int) -> int:
        """The same if all had been done that came before that number; the numbers asked for must not get smaller."""
        sides = _SIDES.get(operation.need)
        if sides is None:
            return -1
        key = operation.accesses[0][0]
        supply = self._supplies.get((key, operation.need))
        if supply is None:
            supply = self._supplies[key, operation.need] = _Supply()
        done_to_it = self.by_key.get(key, ())
        while supply.counted < len(done_to_it) and done_to_it[supply.counted][0] < number:
            self._count(supply, operation, sides, *done_to_it[supply.counted])
            supply.counted += 1
        return supply.giver()

    def _count(self, supply: _Supply, operation: Operation, sides: tuple[int, int], number: int, mode: int) -> None:
        """One more was done."""
        give, take = sides
        # Everything comes before or after it; for items also if the mutex was taken, as by who changes them itself.
        if mode == WRITE or (mode in (TAKE, GIVE) and give != GIVE):
            supply.gives, supply.taken, supply.base = [], 0, None
        elif mode in sides:
            if supply.base is None:
                level = self._done[number].level
                assert level is not None
                part = PERMITS if give == GIVE else ITEMS
                supply.base = operation.limit - level[part] if operation.need == ROOM else level[part]
            if mode == take:
                supply.taken += 1
            elif give == GIVE:  # a semaphore may get several permits at once
                supply.gives += [number] * max(1, self._changes(operation.accesses[0][0], PERMITS).get(number, 1))
            else:
                supply.gives.append(number)

    def _changes(self, key: int, part: int) -> dict[int, int]:
        """By how much each operation changed a resource."""
        known = self._changed.get((key, part))
        if known is None:
            levels = [
                (number, level[part])
                for number, _ in self.by_key.get(key, ())
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
        """How much there is if exactly those operations were done."""
        changes = self._changes(key, part)
        for number in changes:
            first = self._done[number].level
            assert first is not None
            return first[part] + sum(change for other, change in changes.items() if within >> other & 1)
        final = self._final.get(key, ())
        return final[part] if len(final) > part else unknown


_NEEDS_STOCK = frozenset({*_SIDES, NO_TASKS, MUTEX, SHUT})
