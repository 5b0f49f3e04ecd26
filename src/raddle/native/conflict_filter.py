"""Removes accesses to variables without conflicts from the steps, because the criteria do not count such accesses.

The rule is the same as in controlled executions: two accesses conflict if different threads make them, at least one is
a write, and no thread start or join orders them. A variable may have its first conflict only at its last access, so
steps are buffered. Memory is limited, so when the buffer is full, the oldest steps are passed on. At that point, an
access is removed if its variable has not had a conflict so far.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from raddle.native.ids.registry import OwnedVariables
from raddle.native.start_join_order import StartJoinOrder
from raddle.operation import ACCESSES, JOIN, JOIN_IN_TIME, READ, START
from raddle.step import Step

MAX_HELD = 100_000  # maximum number of steps buffered in memory


class Batch(NamedTuple):
    """Steps that were flushed together, with the discarded objects and resources that no later step uses."""

    steps: Sequence[Step]
    discarded: Sequence[OwnedVariables.Discarded] = ()
    discarded_resources: Sequence[int] = ()


class FilteredBatch(NamedTuple):
    """A batch after accesses to variables without conflicts have been removed."""

    batch: Batch
    forgotten: set[int]  # discarded variables whose steps the sink received
    unreported: set[int]  # discarded variables whose steps the sink never received


class _VariableAccesses:
    """The threads that accessed a variable, each with the segment of its last access."""

    __slots__ = ("batch", "conflicted", "reads", "writes")

    def __init__(self, batch: int) -> None:
        self.batch = batch  # number of the batch that contains the first access
        self.conflicted = False  # True if two accesses conflict
        self.reads: dict[int, int] = {}
        self.writes: dict[int, int] = {}

    def touch(self, thread: int, order: StartJoinOrder, *, writes: bool) -> None:
        """Add an access, and compare it with the accesses of other threads."""
        mine, segment = self.writes if writes else self.reads, order.segment(thread)
        if mine.get(thread) == segment:
            return  # an access of the same kind in this segment has already been compared with other threads' accesses
        mine[thread] = segment
        for others in (self.writes, self.reads) if writes else (self.writes,):
            for other, last in others.items():
                if other != thread and order.last_ordered_segment(thread, other) < last:
                    self.conflicted = True
                    self.reads, self.writes = {}, {}
                    return


class ConflictFilter:
    """Buffers batches, then filters them and passes them on in order.

    >>> conflict_filter = ConflictFilter()
    >>> steps = [(0, "write", 7, 70001), (0, "write", 8, 70002), (0, "start", 1, 70003), (0, "start", 2, 70003)]
    >>> steps += [(1, "read", 7, 70004), (1, "write", 8, 70005), (2, "read", 7, 70004), (2, "read", 8, 70006)]
    >>> list(conflict_filter.add(Batch(steps)))
    []
    >>> (filtered,) = conflict_filter.drain()
    >>> [step[1:3] for step in filtered.batch.steps if step[1] != "start"]  # both threads only read 7
    [('write', 8), ('write', 8), ('read', 8)]
    """

    def __init__(self, max_held: int = MAX_HELD) -> None:
        self._max_held = max_held
        self._held: deque[Batch] = deque()
        self._count = 0  # number of buffered steps
        self._batches = 0  # number of batches added so far
        self._variables: dict[int, _VariableAccesses] = {}
        self._order = StartJoinOrder()

    def add(self, batch: Batch) -> Iterator[FilteredBatch]:
        """Add the next batch. Yield the oldest batches while more than `max_held` steps are buffered."""
        self._batches += 1
        self._find_conflicts(batch.steps)
        short_lived = self._remove_short_lived(batch)
        if short_lived:
            yield FilteredBatch(Batch(()), set(), short_lived)
            batch = _without(batch, short_lived)
        self._held.append(batch)
        self._count += len(batch.steps)
        while self._count > self._max_held:
            yield self._filter(self._held.popleft())

    def drain(self) -> Iterator[FilteredBatch]:
        """Yield all batches that are still buffered. Called when no more steps will be added."""
        while self._held:
            yield self._filter(self._held.popleft())

    def _find_conflicts(self, steps: Sequence[Step]) -> None:
        """Record which variables have conflicting accesses."""
        variables, order = self._variables, self._order
        for thread, kind, target, _ in steps:
            if kind in ACCESSES:
                variable = variables.get(target)
                if variable is None:
                    variable = variables[target] = _VariableAccesses(self._batches)
                if not variable.conflicted:
                    variable.touch(thread, order, writes=kind != READ)
            elif kind == START:
                order.start(thread, target)
            elif kind == JOIN:
                order.join(thread, target)

    def _remove_short_lived(self, batch: Batch) -> set[int]:
        """Remove and return the variables that lived only within this batch and had no conflict (the usual case)."""
        variables, short_lived = self._variables, set()
        for number in (number for _, numbers in batch.discarded for number in numbers):
            variable = variables.get(number)
            if variable is None or (variable.batch == self._batches and not variable.conflicted):
                short_lived.add(number)
                variables.pop(number, None)
        return short_lived

    def _filter(self, batch: Batch) -> FilteredBatch:
        self._count -= len(batch.steps)
        variables = self._variables
        kept = [
            step if step[1] != JOIN_IN_TIME else normalize_join(step)
            for step in batch.steps
            if step[1] not in ACCESSES or (step[2] in variables and variables[step[2]].conflicted)
        ]
        discarded = {number: variables.pop(number, None) for _, numbers in batch.discarded for number in numbers}
        forgotten = {number for number, variable in discarded.items() if variable is not None and variable.conflicted}
        return FilteredBatch(
            Batch(kept, batch.discarded, batch.discarded_resources), forgotten, discarded.keys() - forgotten
        )


def _without(batch: Batch, variables: Collection[int]) -> Batch:
    steps = [step for step in batch.steps if step[1] not in ACCESSES or step[2] not in variables]
    discarded = [
        (group, [number for number in numbers if number not in variables]) for group, numbers in batch.discarded
    ]
    return Batch(steps, discarded, batch.discarded_resources)


def normalize_join(step: Step) -> Step:
    """Return the step with JOIN instead of JOIN_IN_TIME, because criteria process only JOIN."""
    thread, kind, target, site = step
    return (thread, JOIN, target, site) if kind == JOIN_IN_TIME else step
