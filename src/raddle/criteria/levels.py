"""Levels: what threads did to the variables of an object, as far as it can still become a pattern.

Every pattern has a thread A that comes back after B was there. To find all of them it is enough to know

* when each thread did each access for the *first* time, since that is the best time for being before B. A variable's
  clock ticks with these first accesses and with nothing else;
* for each access of B its *level*: how far the clock was when B did it the *last* time, which is the best time
  for being after A. A's access came before B's if its time is below the level;
* of all threads' levels only the two highest of different threads, since A itself is at most one of them.

For two variables x and y, B must have been at both: a level belongs to B's access to x, and is noted for each of its
accesses to y that came later (a chain: x, then y) or earlier (a crossing: y, then x). Whatever A then does to y
completes patterns. So the memory is sites x threads for each variable and sites² for each pair, however long
the execution is.

Everything that is noted carries a stamp, and the latest changes stand last: who comes again looks at no more than
what has changed since it was there.
"""

from __future__ import annotations

from typing import TypeVar

from raddle.criteria.occurrences import Accesses, Occurrences
from raddle.step import Step

K = TypeVar("K", int, tuple[int, int])
Levels = dict[K, tuple[int, int, int, int]]  # stamp, highest level, whose it is, highest of all others
Ends = dict[tuple[int, int], Occurrences]  # by pattern and last access

NO_THREAD = -1


class Visits:
    """What one thread did to one variable, reading or writing."""

    __slots__ = ("levels", "masks", "newest", "raised", "times")

    def __init__(self) -> None:
        self.times: list[int] = []  # of first accesses
        self.masks: list[int] = []  # those up to each of these times
        self.newest = 0  # stamp of the last of them
        self.levels: dict[int, tuple[int, int]] = {}  # by access: stamp, level
        self.raised = 0  # stamp of the last change of one


class Object:
    """Variables that make pairs with each other."""

    __slots__ = ("idle", "number", "stamp", "variables")

    def __init__(self, number: int) -> None:
        self.number = number
        self.variables: list[Variable] = []
        self.stamp = 0
        self.idle: list[Step] = []


class Variable:
    """One variable of one object."""

    __slots__ = (
        "accesses", "before", "ends", "first", "into", "latest", "levels", "object", "onward", "shared", "starts",
        "time", "visits",
    )  # fmt: skip

    def __init__(self, accesses: Accesses, obj: Object, ends: Ends, first: int) -> None:
        self.accesses = accesses
        self.object = obj
        self.ends = ends
        self.visits: tuple[dict[int, Visits], dict[int, Visits]] = ({}, {})  # reading, writing; by thread
        self.first = first  # the thread that came first
        self.shared = False  # have others come?
        self.time = 0
        self.latest = NO_THREAD  # who did the latest first access
        self.before = 0  # the time after the latest one of anybody else
        self.starts: dict[int, tuple[int, int, int]] = {}  # by access: stamp, the first two threads that did it
        self.levels: tuple[Levels[int], Levels[int]] = ({}, {})  # of reads, of writes
        self.into: list[Pair] = []  # those whose y it is
        self.onward: list[Pair] = []  # those whose x it is


class Pair:
    """What threads did to x and y, before one that has been at x comes to y."""

    __slots__ = ("chains", "crossings", "ends", "raised", "x", "y")

    def __init__(self, x: Variable, y: Variable, ends: Ends) -> None:
        self.x = x
        self.y = y
        self.ends = ends
        self.chains: tuple[Levels[tuple[int, int]], Levels[tuple[int, int]]] = ({}, {})  # of reads, of writes
        self.crossings: tuple[Levels[tuple[int, int]], Levels[tuple[int, int]]] = ({}, {})
        self.raised = [0, 0]  # stamps of the last changes of these


def note(variable: Variable, visits: Visits, thread: int, writes: bool, number: int, since: int) -> bool:
    """The thread may be B: note its levels. Was anything raised?"""
    stamp = variable.object.stamp
    level = variable.before if variable.latest == thread else variable.time
    old = visits.levels.get(number)
    risen = old is None or old[1] < level
    changed = False
    if risen:
        visits.levels.pop(number, None)  # the latest change stands last
        visits.levels[number] = (stamp, level)
        visits.raised = stamp
        changed = True
        _raise(variable.levels[writes], number, level, thread, stamp)
    for pair in variable.onward:
        other_visits = pair.y.visits[writes].get(thread)
        if other_visits is not None and (risen or other_visits.newest > since):
            crossings = pair.crossings[writes]
            for other in other_visits.levels:
                if _raise(crossings, (number, other), level, thread, stamp):
                    pair.raised[writes] = stamp
                    changed = True
    return changed


def note_chains(variable: Variable, thread: int, writes: bool, number: int, since: int) -> bool:
    """The thread may be B, at y after it has been at x. Was anything raised?"""
    stamp = variable.object.stamp
    changed = False
    for pair in variable.into:
        other_visits = pair.x.visits[writes].get(thread)
        if other_visits is not None and other_visits.raised > since:
            chains, levels = pair.chains[writes], other_visits.levels
            for other in reversed(levels):
                when, level_there = levels[other]
                if when <= since:
                    break
                if _raise(chains, (other, number), level_there, thread, stamp):
                    pair.raised[writes] = stamp
                    changed = True
    return changed


def _raise(levels: Levels[K], key: K, level: int, thread: int, stamp: int) -> bool:
    """Note that the thread reached the level. Was that anything new?"""
    old = levels.get(key)
    if old is None:
        levels[key] = (stamp, level, thread, 0)
        return True
    _, highest, top_thread, others = old
    if level > highest:
        if thread != top_thread:
            others = highest
        highest, top_thread = level, thread
    elif thread != top_thread and level > others:
        others = level
    else:
        return False
    del levels[key]  # the latest change stands last
    levels[key] = (stamp, highest, top_thread, others)
    return True


def note_first(variable: Variable, thread: int, number: int, visits: Visits) -> None:
    """The thread does this access for the first time."""
    stamp = variable.object.stamp
    visits.masks.append((visits.masks[-1] if visits.masks else 0) | 1 << number)
    visits.times.append(variable.time)
    visits.newest = stamp
    visits.levels.setdefault(number, (0, 0))
    if variable.latest != thread:
        variable.before = variable.time
        variable.latest = thread
    variable.time += 1
    start = variable.starts.get(number)
    if start is None:
        variable.starts[number] = (stamp, thread, NO_THREAD)
    elif start[2] == NO_THREAD and start[1] != thread:
        del variable.starts[number]
        variable.starts[number] = (stamp, start[1], thread)
