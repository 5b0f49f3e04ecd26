"""Levels: the accesses to the variables of an object that can still become part of a pattern.

In every pattern of three or four steps, thread A accesses the object again after thread B has accessed it. To find all
patterns, it is enough to know:

* The time at which each thread made each access for the *first* time, because A's earliest access precedes at
  least as many accesses by B as any later one. A variable's clock ticks only at these first accesses.
* The *level* of each access by B: the clock's time when B *last* made the access, because B's latest access follows at
  least as many accesses by A as any earlier one. An access by A came before B's access if the time of A's access is
  below the level of B's access.
* The two highest levels of different threads, because at most one of them belongs to A itself.

For two variables x and y, B must have accessed both. A level belongs to B's access to x. It is recorded for each of B's
accesses to y that came later (a chain: x, then y) or earlier (a crossing: y, then x). An access by A to y then
completes patterns. So the memory for a variable is proportional to the number of sites times the number of threads, and
that for a pair to the square of the number of sites, regardless of the length of the execution.

Each entry has a stamp, and each dict keeps the most recently changed entries at the end. When a thread accesses a
variable again, only the changes since its previous access are processed.
"""

from __future__ import annotations

from typing import TypeVar

from raddle.criteria.occurrences import Accesses, Occurrences
from raddle.step import Step

K = TypeVar("K", int, tuple[int, int])
Levels = dict[K, tuple[int, int, int, int]]  # stamp, highest level, its thread, highest level of other threads
Ends = dict[tuple[int, int], Occurrences]  # for each pattern and last access, the occurrences found

NO_THREAD = -1


class Visits:
    """The reads, or the writes, of one variable by one thread."""

    __slots__ = ("levels", "masks", "newest", "raised", "times")

    def __init__(self) -> None:
        self.times: list[int] = []  # times of first accesses
        self.masks: list[int] = []  # for each entry of `times`, the mask of the first accesses up to that time
        self.newest = 0  # stamp of the most recent first access
        self.levels: dict[int, tuple[int, int]] = {}  # maps each access to its stamp and level
        self.raised = 0  # stamp of the most recent level change


class Object:
    """An object, or all objects in a scope, with the variables and the pairs that they form."""

    __slots__ = ("idle", "number", "stamp", "variables")

    def __init__(self, number: int) -> None:
        self.number = number
        self.variables: list[Variable] = []
        self.stamp = 0  # number of processed accesses
        self.idle: list[Step] = []  # steps that have no effect until something changes


class Variable:
    """One variable of one object."""

    __slots__ = (
        "accesses", "before", "ends", "first", "holder", "into", "latest", "levels", "object", "onward", "shared",
        "starts", "time", "visits",
    )  # fmt: skip

    def __init__(self, accesses: Accesses, obj: Object, ends: Ends, *, holder: tuple[int, str], first: int) -> None:
        self.accesses = accesses
        self.object = obj
        self.holder = holder  # number and class of the object that the variable belongs to
        self.ends = ends
        self.visits: tuple[dict[int, Visits], dict[int, Visits]] = ({}, {})  # reads and writes, each by thread
        self.first = first  # the first thread that accessed the variable
        self.shared = False  # True once a second thread has accessed the variable
        self.time = 0  # the clock: number of first accesses
        self.latest = NO_THREAD  # thread that made the most recent first access
        self.before = 0  # time just after the most recent first access by a thread other than `latest`
        # Maps each access to a stamp and to the first two threads that made the access.
        self.starts: dict[int, tuple[int, int, int]] = {}
        self.levels: tuple[Levels[int], Levels[int]] = ({}, {})  # levels of reads and of writes
        self.into: list[Pair] = []  # the pairs in which this variable is y
        self.onward: list[Pair] = []  # the pairs in which this variable is x


class Pair:
    """Two variables x and y, for patterns in which A accesses x first and y last."""

    __slots__ = ("chains", "crossings", "ends", "raised", "x", "y")

    def __init__(self, x: Variable, y: Variable, ends: Ends) -> None:
        self.x = x
        self.y = y
        self.ends = ends
        self.chains: tuple[Levels[tuple[int, int]], Levels[tuple[int, int]]] = ({}, {})  # levels of reads and of writes
        self.crossings: tuple[Levels[tuple[int, int]], Levels[tuple[int, int]]] = ({}, {})
        self.raised = [0, 0]  # stamps of the most recent level changes, for reads and for writes


def note(variable: Variable, visits: Visits, thread: int, writes: bool, number: int, since: int) -> bool:
    """Record the levels of a thread in the role of B; return whether any level was raised."""
    stamp = variable.object.stamp
    level = variable.before if variable.latest == thread else variable.time
    old = visits.levels.get(number)
    risen = old is None or old[1] < level
    changed = False
    if risen:
        visits.levels.pop(number, None)  # so that the entry moves to the end
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
    """Record the chains (x, then y) of a thread in the role of B; return whether any level was raised."""
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
    """Raise a level to the given value; return whether anything changed."""
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
    del levels[key]  # so that the entry moves to the end
    levels[key] = (stamp, highest, top_thread, others)
    return True


def note_first(variable: Variable, thread: int, number: int, visits: Visits) -> None:
    """Record that the thread makes this access for the first time."""
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
