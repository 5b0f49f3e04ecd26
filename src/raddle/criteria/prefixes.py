"""Finds the memory-access patterns that the steps of one execution complete.

`raddle.criteria.levels` explains which state is needed. A step that changes nothing in that state is idle until the
state of its object changes. An idle step costs one lookup.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from raddle.criteria.levels import (
    NO_THREAD,
    Ends,
    K,
    Levels,
    Object,
    Pair,
    Variable,
    Visits,
    note,
    note_chains,
    note_first,
)
from raddle.criteria.occurrences import Accesses, Middle, Occurrences
from raddle.criteria.pattern_keys import NO_VARIABLE
from raddle.entities import Entities
from raddle.operation import ACCESSES, END, WRITE
from raddle.static_model import VariableName
from raddle.step import Step
from raddle.tally import Key
from raddle.variable_scope import VariableScope

WHOLE_SCOPE = 0  # stands for the numbers of all objects in a scope

NewOccurrences = list[tuple[Occurrences, Middle, int]]

# The patterns that a last step can complete: the first row is for reads, the second for writes. Each entry states
# whether B's steps write, whether A's first step writes, and the pattern numbers.
_THREE = (
    ((True, False, 4), (True, True, 5)),
    ((False, True, 6), (True, False, 7), (True, True, 8)),
)
_FOUR = (
    ((True, False, 14, 15),),
    ((True, True, 9, 10), (False, True, 12, 13)),
)


class Prefixes:
    """Tracks the pattern prefixes of one execution. With a scope, variables of different objects can form pairs.

    >>> from raddle.entities import AbstractVariable, make_entities
    >>> prefixes = Prefixes(make_entities(variables=[AbstractVariable("log.py:Log", "", "th")]))
    >>> prefixes.feed([(1, "read", 0, 70004), (2, "write", 0, 70009), (1, "read", 0, 70005)])
    >>> [key[0] for key in prefixes.new_keys()]
    [1, 2, 4]
    """

    def __init__(self, entities: Entities, scope: VariableScope | None = None) -> None:
        self._entities = entities
        self._scope = scope
        self._variables: dict[int, Variable] = {}
        self._objects: dict[int, Object] = {}
        self._accesses: dict[VariableName, Accesses] = {}
        self._ends: dict[tuple[VariableName, VariableName], Ends] = {}  # by x and y; shared by all objects
        self._last: dict[int, dict[Step, int]] = {}  # for each thread, maps steps to the stamp of their last occurrence
        self._steps: dict[int, list[Step]] = {}  # maps each variable to its steps in `_last`
        self._idle: set[Step] = set()
        self._new_occurrences: NewOccurrences = []

    def feed(self, steps: Iterable[Step]) -> None:
        """Process steps in the order in which they happened."""
        idle = self._idle
        for step in steps:
            if step in idle:
                continue
            kind = step[1]
            if kind in ACCESSES:
                if step[3]:  # a step without a site belongs to no requirement
                    self._access(step)
            elif kind == END:
                self._end(step[0])

    def forget(self, variables: Iterable[int]) -> None:
        """Drop the state of variables that no later step accesses."""
        for target in variables:
            variable = self._variables.pop(target, None)
            if variable is None:
                continue
            for step in self._steps.pop(target, ()):
                self._last.get(step[0], {}).pop(step, None)
                self._idle.discard(step)
            for pair in variable.onward:
                pair.y.into.remove(pair)
            for pair in variable.into:
                pair.x.onward.remove(pair)
            variable.onward.clear()  # break reference cycles, so that no garbage collection is needed
            variable.into.clear()
            obj = variable.object
            obj.variables.remove(variable)
            obj.idle = [step for step in obj.idle if step[2] != target]
            if not obj.variables:
                self._objects.pop(obj.number, None)

    def new_keys(self) -> Iterable[Key]:
        """Yield the requirements covered since the last call; a requirement for a crossing may be yielded twice."""
        new_keys, self._new_occurrences = self._new_occurrences, []
        for found, middle, mask in new_keys:
            yield from found.keys(mask, middle=middle)

    def _access(self, step: Step) -> None:
        thread, kind, target, site = step
        variable = self._variables.get(target)
        if variable is None:
            variable = self._variables[target] = self._add(target, thread)
        elif not variable.shared and thread != variable.first:
            self._share(variable)
        obj = variable.object
        obj.stamp += 1
        last = self._last.setdefault(thread, {})
        since = last.get(step, 0)
        if not since:
            self._steps.setdefault(target, []).append(step)
        last[step] = obj.stamp
        writes = kind == WRITE
        number = variable.accesses.number(writes, site)
        visits = variable.visits[writes].get(thread)
        if visits is None:
            visits = variable.visits[writes][thread] = Visits()
        known = number in visits.levels
        changed = not known
        if variable.shared:
            self._complete(variable, thread, writes, number, since)
            changed = note(variable, visits, thread, writes, number, since) or changed
        if variable.into:
            changed = note_chains(variable, thread, writes, number, since) or changed
        if not known:
            note_first(variable, thread, number, visits)
        if changed:
            if obj.idle:
                self._idle.difference_update(obj.idle)
                obj.idle.clear()
        else:
            self._idle.add(step)
            obj.idle.append(step)

    def _add(self, target: int, thread: int) -> Variable:
        abstract = self._entities.variables[target]
        holder = (self._entities.groups[target], abstract.object_type)
        group = holder[0] if self._scope is None else WHOLE_SCOPE
        obj = self._objects.get(group)
        if obj is None:
            obj = self._objects[group] = Object(group)
        name = (abstract.owner, abstract.name)
        accesses = self._accesses.get(name)
        if accesses is None:
            accesses = self._accesses[name] = Accesses(name)
        ends = self._ends.setdefault((name, NO_VARIABLE), {})
        variable = Variable(accesses, obj, ends, holder=holder, first=thread)
        for other in obj.variables:
            if other.shared:
                self._pair(other, variable)
        obj.variables.append(variable)
        return variable

    def _share(self, variable: Variable) -> None:
        """Mark the variable as shared, and pair it with the other variables of its object."""
        variable.shared = True
        for other in variable.object.variables:
            if other is not variable:
                self._pair(variable, other)

    def _pair(self, x: Variable, y: Variable) -> None:
        """Pair x, which two threads have accessed, with y, so that patterns can begin at x and end at y."""
        one, other = x.accesses.variable, y.accesses.variable
        together = x.holder == y.holder or (self._scope is not None and self._scope.across_objects(one[0], other[0]))
        if together and one != other:
            pair = Pair(x, y, self._ends.setdefault((one, other), {}))
            x.onward.append(pair)
            y.into.append(pair)

    def _end(self, thread: int) -> None:
        """Drop the state of a thread that has ended."""
        steps = self._last.pop(thread, {})
        self._idle.difference_update(steps)
        for kind, target in {step[1:3] for step in steps}:
            del self._variables[target].visits[kind == WRITE][thread]
        for target in {step[2] for step in steps}:
            self._steps[target] = [step for step in self._steps[target] if step[0] != thread]

    def _complete(self, y: Variable, thread: int, writes: bool, number: int, since: int) -> None:
        """Find the patterns that end with this step."""
        new_keys, ends, accesses = self._new_occurrences, y.ends, y.accesses
        for first in reversed(y.starts):
            stamp, one, other = y.starts[first]
            if stamp <= since:
                break
            if (one != thread or other != NO_THREAD) and (writes or accesses.writes[first]):
                pattern = 1 if not accesses.writes[first] else 3 if writes else 2
                found = _found(ends, pattern, y, y, number)
                new = found.add(1 << first, middle=None)
                if new:
                    new_keys.append((found, None, new))
        counts = accesses.counts
        for between, first_writes, pattern in _THREE[writes]:
            own = y.visits[first_writes].get(thread)
            if own is not None and y.levels[between]:
                found = _found(ends, pattern, y, y, number)
                if found.count < counts[first_writes] * counts[between]:
                    _search(found, y.levels[between], own, thread, since, new_keys)
        for pair in y.into:
            x = pair.x
            for between, first_writes, chain, crossing in _FOUR[writes]:
                own = x.visits[first_writes].get(thread)
                if own is None or pair.raised[between] <= since:
                    continue
                most = x.accesses.counts[first_writes] * x.accesses.counts[between] * counts[between]
                for pattern, levels in ((chain, pair.chains[between]), (crossing, pair.crossings[between])):
                    if levels:
                        found = _found(pair.ends, pattern, x, y, number)
                        if found.count < most:
                            _search(found, levels, own, thread, since, new_keys)


def _found(ends: Ends, pattern: int, x: Variable, y: Variable, last: int) -> Occurrences:
    found = ends.get((pattern, last))
    if found is None:
        found = ends[pattern, last] = Occurrences(pattern, x.accesses, y.accesses, last=last)
    return found


def _search(
    found: Occurrences, levels: Levels[K], visits: Visits, thread: int, since: int, new_keys: NewOccurrences
) -> None:
    """For each middle step whose level rose after `since`, add the occurrences whose first step is below that level."""
    times, masks, known = visits.times, visits.masks, found.masks
    for middle in reversed(levels):
        stamp, level, top_thread, others = levels[middle]
        if stamp <= since:
            break
        below = bisect_left(times, others if top_thread == thread else level)
        if below and masks[below - 1] & ~known.get(middle, 0):
            new_keys.append((found, middle, found.add(masks[below - 1], middle=middle)))
