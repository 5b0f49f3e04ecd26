"""Collects facts that rule out interleavings: which locks are held, and where threads are started and joined.

The facts (see `raddle.pruning_facts`) are about objects that several threads access. An order between two steps counts
only if it holds in every schedule. Thread starts and joins impose such orders. Locks and events do not, because they
may order the same steps differently in another execution.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from raddle.analysis.happens_before import HappensBefore
from raddle.analysis.touched import Owner, ThreadHistory, TouchedObject
from raddle.entities import Entities
from raddle.operation import ACCESSES, ACQUIRE, END, JOIN, RELEASE, START
from raddle.pruning_facts import OwnerFacts, PruningFacts, trimmed
from raddle.static_model import relative_name
from raddle.step import Step


class _Thread:
    """The locks that one thread holds, and version counters that show when cached results are out of date."""

    __slots__ = ("held", "locks", "order_version", "steps", "version")

    def __init__(self) -> None:
        self.held: dict[int, int] = {}  # maps each held lock to the number of the current critical section
        self.locks: frozenset[int] = frozenset()
        self.version = 0  # incremented when locks, starts or joins may change what a step contributes to the facts
        self.order_version = 0  # incremented at each start and join
        self.steps: dict[Step, None] = {}

    def locks_changed(self) -> None:
        self.locks = frozenset(self.held)
        self.version += 1

    def order_changed(self) -> None:
        self.order_version += 1
        self.version += 1


class _AccessGroup:
    """All accesses of one kind to one variable by one thread at one site."""

    __slots__ = ("history", "number", "object", "order_stamp", "stamp", "thread")

    def __init__(self, thread: _Thread, touched: TouchedObject, history: ThreadHistory, number: int) -> None:
        self.thread = thread
        self.object = touched
        self.history = history
        self.number = number
        self.stamp = -1  # sum of the thread's version and the object's version at the last update; both only grow
        self.order_stamp = -1  # sum of the thread's order version and the object's version at the last update


class Feasibility:
    """Collects facts from successive executions.

    >>> from raddle.entities import AbstractVariable, make_entities
    >>> watching = Feasibility()
    >>> watching.begin(make_entities(variables=[AbstractVariable("m.py:C", "", "x")]))
    >>> watching.feed([(0, "write", 0, 70001), (0, "start", 1, 70002), (1, "read", 0, 70003)])
    >>> facts = watching.facts().owners["m.py:C"]
    >>> facts.accesses, facts.before  # the write before the start always precedes the read
    ((('x', 70001), ('x', 70003)), (2,))
    """

    def __init__(self) -> None:
        self._owners: dict[str, Owner] = {}
        self._reset(Entities())

    def begin(self, entities: Entities) -> None:
        """Start a new execution; facts of earlier executions are kept."""
        self._merge_objects()
        self._reset(entities)

    def feed(self, steps: Iterable[Step]) -> None:
        """Process steps in the order in which they happened."""
        groups, order = self._access_groups, self._order
        for step in steps:
            thread, kind, target, site = step
            if kind in ACCESSES:
                group = groups.get(step)
                if group is None:
                    if not site:
                        continue
                    group = groups[step] = self._new_access_group(step)
                stamp = group.thread.version + group.object.version
                if group.stamp != stamp:
                    group.stamp = stamp
                    self._update(group, thread)
            elif kind == ACQUIRE:
                self._acquire(thread, target)
            elif kind == RELEASE:
                self._release(target)
            elif kind in (START, JOIN):
                order.step(thread, kind, target)
                self._thread(thread).order_changed()
                if kind == START:
                    self._thread(target).order_changed()
            elif kind == END:
                self._end(thread)

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """Drop the state of variables that no later step accesses."""
        for target in variables:
            for step in self._steps.pop(target, ()):
                group = self._access_groups.pop(step, None)
                if group is not None:
                    group.thread.steps.pop(step, None)
            variable = self._entities.variables[target]
            self._forget_variable((self._entities.groups[target], variable.object_type), target)

    def _forget_variable(self, object_key: tuple[int, str], target: int) -> None:
        """Drop a variable of an object, and the object itself if that was its last variable."""
        targets = self._targets.get(object_key, set())
        targets.discard(target)
        if not targets:
            self._targets.pop(object_key, None)
            touched = self._objects.pop(object_key, None)
            if touched is not None and touched.shared:
                self._owners[object_key[1]].add(touched, self._entities.resources)

    def _update(self, group: _AccessGroup, number: int) -> None:
        thread, touched = group.thread, group.object
        order_stamp = thread.order_version + touched.version
        if group.order_stamp != order_stamp:
            group.order_stamp = order_stamp
            touched.order(group.history, group.number, self._order.thread_clock(number))
        touched.touch(group.history, group.number, thread.held, thread.locks)

    def facts(self) -> PruningFacts:
        """Return the facts that hold in all executions so far."""
        self._merge_objects()
        owners = sorted(self._owners.items())
        return PruningFacts({name: _facts(owner) for name, owner in owners if owner.discipline.seen})

    def _reset(self, entities: Entities) -> None:
        self._entities = entities
        self._order = HappensBefore()
        self._threads: dict[int, _Thread] = {}
        self._holders: dict[int, _Thread] = {}  # maps each held lock to its holder
        self._sections = 0
        self._objects: dict[tuple[int, str], TouchedObject] = {}
        self._access_groups: dict[Step, _AccessGroup] = {}
        self._steps: dict[int, list[Step]] = {}  # maps each variable to the steps in `_access_groups`
        self._targets: dict[tuple[int, str], set[int]] = {}  # maps each object to its variables

    def _merge_objects(self) -> None:
        """Add what this execution shows about shared objects to the facts about their owners.

        Later steps of the execution can only remove guards, so merging early is safe.
        """
        for (_, owner), touched in self._objects.items():
            if touched.shared:
                self._owners[owner].add(touched, self._entities.resources)

    def _thread(self, number: int) -> _Thread:
        thread = self._threads.get(number)
        if thread is None:
            thread = self._threads[number] = _Thread()
        return thread

    def _new_access_group(self, step: Step) -> _AccessGroup:
        number, _, target, site = step
        variable = self._entities.variables[target]
        cls = variable.object_type
        owner = self._owners.get(cls)
        if owner is None:
            owner = self._owners[cls] = Owner()
        object_key = (self._entities.groups[target], cls)
        touched = self._objects.get(object_key)
        if touched is None:
            touched = self._objects[object_key] = TouchedObject(owner, first=number)
        thread = self._thread(number)
        thread.steps[step] = None
        self._steps.setdefault(target, []).append(step)
        self._targets.setdefault(object_key, set()).add(target)
        access = (relative_name((variable.owner, variable.name), cls), site)
        return _AccessGroup(thread, touched, touched.history_of(number), owner.number(access))

    def _acquire(self, thread: int, lock: int) -> None:
        self._release(lock)  # the previous holder must have released it, even if that step was not recorded
        holder = self._holders[lock] = self._thread(thread)
        self._sections += 1
        holder.held[lock] = self._sections
        holder.locks_changed()

    def _release(self, lock: int) -> None:
        """Release a lock, no matter which thread holds it; Python lets any thread release a plain lock."""
        holder = self._holders.pop(lock, None)
        if holder is not None:
            del holder.held[lock]
            holder.locks_changed()

    def _end(self, number: int) -> None:
        """Drop the state of a thread that has ended."""
        self._order.step(number, END, number)
        thread = self._threads.pop(number, None)
        if thread is not None:
            for step in thread.steps:
                self._access_groups.pop(step).object.leave(number)
                self._steps[step[2]].remove(step)


def _facts(owner: Owner) -> OwnerFacts:
    return OwnerFacts.make(owner.numbers, trimmed(owner.after), owner.discipline)
