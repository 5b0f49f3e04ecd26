"""Watches what makes interleavings impossible: locks that are held, threads that are started and joined.

It gathers the facts of `raddle.pruning_facts` about objects that several threads touch. Only what is so in every
schedule counts as an order: that threads are started and joined, not what locks and events happened to bring about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from raddle.analysis.happens_before import HappensBefore
from raddle.analysis.touched import Owner, TouchedObject, Toucher
from raddle.entities import Entities
from raddle.operation import ACCESSES, ACQUIRE, END, JOIN, RELEASE, START
from raddle.pruning_facts import OwnerFacts, PruningFacts, trimmed
from raddle.step import Step


class _Thread:
    """What a thread holds."""

    __slots__ = ("held", "locks", "steps", "turns", "version")

    def __init__(self) -> None:
        self.held: dict[int, int] = {}  # lock -> the number of its critical section
        self.locks: frozenset[int] = frozenset()
        self.version = 0  # grows with everything that matters to its own steps
        self.turns = 0  # grows with starts and joins
        self.steps: dict[Step, None] = {}

    def changed(self) -> None:
        self.locks = frozenset(self.held)
        self.version += 1

    def turned(self) -> None:
        self.turns += 1
        self.version += 1


class _Spot:
    """All steps that look alike."""

    __slots__ = ("number", "object", "ordered", "stamp", "thread", "toucher")

    def __init__(self, thread: _Thread, whole: TouchedObject, toucher: Toucher, number: int) -> None:
        self.thread = thread
        self.object = whole
        self.toucher = toucher
        self.number = number
        self.stamp = -1  # the versions of thread and object when it was looked at; both only grow
        self.ordered = -1  # the thread's turns and the object's version


class Feasibility:
    """Watches executions, one after the other.

    >>> from raddle.entities import AbstractVariable, make_entities
    >>> watching = Feasibility()
    >>> watching.begin(make_entities(variables=[AbstractVariable("m.py:C", "", "x")]))
    >>> watching.feed([(0, "write", 0, 70001), (0, "start", 1, 70002), (1, "read", 0, 70003)])
    >>> facts = watching.facts().owners["m.py:C"]
    >>> facts.accesses, facts.before  # what was written before the start comes before what is read
    ((('x', 70001), ('x', 70003)), (2,))
    """

    def __init__(self) -> None:
        self._owners: dict[str, Owner] = {}
        self._reset(Entities())

    def begin(self, entities: Entities) -> None:
        """An execution begins."""
        self._settle()
        self._reset(entities)

    def feed(self, steps: Iterable[Step]) -> None:
        """These steps happened, in this order."""
        spots, order = self._spots, self._order
        for step in steps:
            thread, kind, target, site = step
            if kind in ACCESSES:
                spot = spots.get(step)
                if spot is None:
                    if not site:
                        continue
                    spot = spots[step] = self._spot(step)
                stamp = spot.thread.version + spot.object.version
                if spot.stamp != stamp:
                    spot.stamp = stamp
                    self._look(spot, thread)
            elif kind == ACQUIRE:
                self._acquire(thread, target)
            elif kind == RELEASE:
                self._release(target)
            elif kind in (START, JOIN):
                order.step(thread, kind, target)
                self._thread(thread).turned()
                if kind == START:
                    self._thread(target).turned()
            elif kind == END:
                self._end(thread)

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """There will be no more steps about these."""
        for target in variables:
            for step in self._steps.pop(target, ()):
                spot = self._spots.pop(step, None)
                if spot is not None:
                    spot.thread.steps.pop(step, None)
            variable = self._cast.variables[target]
            self._leave((self._cast.groups[target], variable.owner), target)

    def _leave(self, place: tuple[int, str], target: int) -> None:
        """A variable of an object is no more; nor is the object, if it has no other."""
        targets = self._targets.get(place, set())
        targets.discard(target)
        if not targets:
            self._targets.pop(place, None)
            whole = self._objects.pop(place, None)
            if whole is not None and whole.shared:
                self._owners[place[1]].add(whole, self._cast.resources)

    def _look(self, spot: _Spot, number: int) -> None:
        thread, whole = spot.thread, spot.object
        ordered = thread.turns + whole.version
        if spot.ordered != ordered:
            spot.ordered = ordered
            whole.order(spot.toucher, spot.number, self._order.thread_clock(number))
        whole.touch(spot.toucher, spot.number, thread.held, thread.locks)

    def facts(self) -> PruningFacts:
        """What all executions showed so far."""
        self._settle()
        owners = sorted(self._owners.items())
        return PruningFacts({name: _facts(owner) for name, owner in owners if owner.discipline.seen})

    def _reset(self, entities: Entities) -> None:
        self._cast = entities
        self._order = HappensBefore()
        self._threads: dict[int, _Thread] = {}
        self._holders: dict[int, _Thread] = {}  # by lock
        self._sections = 0
        self._objects: dict[tuple[int, str], TouchedObject] = {}
        self._spots: dict[Step, _Spot] = {}
        self._steps: dict[int, list[Step]] = {}  # by variable: those that there are spots for
        self._targets: dict[tuple[int, str], set[int]] = {}  # by object: its variables

    def _settle(self) -> None:
        """Take over what the execution has shown so far; it may show more, which only takes guards away."""
        for (_, owner), whole in self._objects.items():
            if whole.shared:
                self._owners[owner].add(whole, self._cast.resources)

    def _thread(self, number: int) -> _Thread:
        thread = self._threads.get(number)
        if thread is None:
            thread = self._threads[number] = _Thread()
        return thread

    def _spot(self, step: Step) -> _Spot:
        number, _, target, site = step
        variable = self._cast.variables[target]
        owner = self._owners.get(variable.owner)
        if owner is None:
            owner = self._owners[variable.owner] = Owner()
        place = (self._cast.groups[target], variable.owner)
        whole = self._objects.get(place)
        if whole is None:
            whole = self._objects[place] = TouchedObject(owner, first=number)
        thread = self._thread(number)
        thread.steps[step] = None
        self._steps.setdefault(target, []).append(step)
        self._targets.setdefault(place, set()).add(target)
        return _Spot(thread, whole, whole.toucher(number), owner.number((variable.name, site)))

    def _acquire(self, thread: int, lock: int) -> None:
        self._release(lock)  # whoever had it must have given it back, seen or not
        holder = self._holders[lock] = self._thread(thread)
        self._sections += 1
        holder.held[lock] = self._sections
        holder.changed()

    def _release(self, lock: int) -> None:
        """Python lets any thread release a plain lock."""
        holder = self._holders.pop(lock, None)
        if holder is not None:
            del holder.held[lock]
            holder.changed()

    def _end(self, number: int) -> None:
        """The thread does nothing any more."""
        self._order.step(number, END, number)
        thread = self._threads.pop(number, None)
        if thread is not None:
            for step in thread.steps:
                self._spots.pop(step).object.leave(number)
                self._steps[step[2]].remove(step)


def _facts(owner: Owner) -> OwnerFacts:
    return OwnerFacts.make(owner.numbers, trimmed(owner.after), owner.discipline)
