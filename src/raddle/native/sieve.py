"""Leaves out accesses to variables on which no two threads can conflict: criteria are not about those.

The rule is that of controlled executions: two accesses conflict if they are of different threads, one of them writes,
and no start or join orders them. Whether a variable is left out shows only when its last access has come, so steps are
held back. A program may make more steps than can be kept: of a variable that is not in conflict yet when its oldest
steps have to go, those are left out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from raddle.native.ancestry import Ancestry
from raddle.native.ids.registry import Owned
from raddle.operation import ACCESSES, JOIN, JOIN_IN_TIME, READ, START
from raddle.step import Step

MAX_HELD = 100_000  # steps, in memory


class Batch(NamedTuple):
    """Steps that were handed over together, and what has gone: no later batch has a step about it."""

    steps: Sequence[Step]
    gone: Sequence[Owned.Gone] = ()
    gone_resources: Sequence[int] = ()


class Sifted(NamedTuple):
    """What is left of a batch."""

    batch: Batch
    forgotten: set[int]  # variables that have gone, of which there were steps
    unheard: set[int]  # variables that have gone, of which there never was one


class _Touched:
    """A variable: who has touched it, and in which of its segments last."""

    __slots__ = ("batch", "conflicted", "reads", "writes")

    def __init__(self, batch: int) -> None:
        self.batch = batch  # the first that is about it
        self.conflicted = False
        self.reads: dict[int, int] = {}
        self.writes: dict[int, int] = {}

    def touch(self, thread: int, order: Ancestry, *, writes: bool) -> None:
        """Note an access."""
        mine, segment = self.writes if writes else self.reads, order.segment(thread)
        if mine.get(thread) == segment:
            return  # as the last time; accesses in between were compared with that one
        mine[thread] = segment
        for others in (self.writes, self.reads) if writes else (self.writes,):
            for other, last in others.items():
                if other != thread and order.known(thread, other) < last:
                    self.conflicted = True
                    self.reads, self.writes = {}, {}
                    return


class Sieve:
    """Holds batches back, and gives them out in their order.

    >>> sieve = Sieve()
    >>> steps = [(0, "write", 7, 70001), (0, "write", 8, 70002), (0, "start", 1, 70003), (0, "start", 2, 70003)]
    >>> steps += [(1, "read", 7, 70004), (1, "write", 8, 70005), (2, "read", 7, 70004), (2, "read", 8, 70006)]
    >>> list(sieve.add(Batch(steps)))
    []
    >>> [[step[1:3] for step in sifted.batch.steps if step[1] != "start"] for sifted in sieve.rest()]  # 7 is only read
    [[('write', 8), ('write', 8), ('read', 8)]]
    """

    def __init__(self, most: int = MAX_HELD) -> None:
        self._most = most
        self._held: deque[Batch] = deque()
        self._count = 0  # of the steps that are held
        self._batches = 0  # so far
        self._variables: dict[int, _Touched] = {}
        self._order = Ancestry()

    def add(self, batch: Batch) -> Iterator[Sifted]:
        """Take the next batch; return those for which there is no room any more."""
        self._batches += 1
        self._look(batch.steps)
        passing = self._passing(batch)
        if passing:
            yield Sifted(Batch(()), set(), passing)
            batch = _without(batch, passing)
        self._held.append(batch)
        self._count += len(batch.steps)
        while self._count > self._most:
            yield self._sift(self._held.popleft())

    def rest(self) -> Iterator[Sifted]:
        """Return what is left: no more steps will come."""
        while self._held:
            yield self._sift(self._held.popleft())

    def _look(self, steps: Sequence[Step]) -> None:
        """See which variables are in conflict."""
        variables, order = self._variables, self._order
        for thread, kind, target, _ in steps:
            if kind in ACCESSES:
                variable = variables.get(target)
                if variable is None:
                    variable = variables[target] = _Touched(self._batches)
                if not variable.conflicted:
                    variable.touch(thread, order, writes=kind != READ)
            elif kind == START:
                order.start(thread, target)
            elif kind == JOIN:
                order.join(thread, target)

    def _passing(self, batch: Batch) -> set[int]:
        """Forget variables that came and went within the batch without a conflict, as most do; return them."""
        variables, passing = self._variables, set()
        for number in (number for _, numbers in batch.gone for number in numbers):
            variable = variables.get(number)
            if variable is None or (variable.batch == self._batches and not variable.conflicted):
                passing.add(number)
                variables.pop(number, None)
        return passing

    def _sift(self, batch: Batch) -> Sifted:
        self._count -= len(batch.steps)
        variables = self._variables
        kept = [
            step if step[1] != JOIN_IN_TIME else as_told(step)
            for step in batch.steps
            if step[1] not in ACCESSES or (step[2] in variables and variables[step[2]].conflicted)
        ]
        gone = {number: variables.pop(number, None) for _, numbers in batch.gone for number in numbers}
        forgotten = {number for number, variable in gone.items() if variable is not None and variable.conflicted}
        return Sifted(Batch(kept, batch.gone, batch.gone_resources), forgotten, gone.keys() - forgotten)


def _without(batch: Batch, variables: Collection[int]) -> Batch:
    steps = [step for step in batch.steps if step[1] not in ACCESSES or step[2] not in variables]
    gone = [(group, [number for number in numbers if number not in variables]) for group, numbers in batch.gone]
    return Batch(steps, gone, batch.gone_resources)


def as_told(step: Step) -> Step:
    """Return the step as criteria know it: how long a thread would have waited for another one is not for them."""
    thread, kind, target, site = step
    return (thread, JOIN, target, site) if kind == JOIN_IN_TIME else step
