"""Rearranges the steps of an execution into another order.

Every thread executes its own steps in their original order. Synchronization is respected: a lock has one holder, a
thread runs only after it has been started, a join returns only after the joined thread has ended, and a permit or an
item can be taken only if one is available. If a thread is blocked, the thread it waits for runs first, just far enough
to unblock it. If that thread is suspended, the order is infeasible. Values are not tracked. A thread that reads a
different value might take a different branch, so a rearrangement is only a guess about real executions.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from raddle import operation
from raddle.operation import ACQUIRE, BEGIN, BLOCKED, CLEAR, COUNTED, JOIN, RELEASE, SET, START, WAIT, WAIT_SET, WOKEN
from raddle.step import Step

# Maps each kind of step that can block to the kind of step that unblocks it.
_GIVEN_BY: dict[str, str] = {kind: kind.partner for kind in operation.TAKES if kind != ACQUIRE}
_GIVES = frozenset(_GIVEN_BY.values())
_MAX_DEPTH = 12  # maximum length of a chain of threads, each of which waits for the next


class ImpossibleError(Exception):
    """Raised if the threads cannot run in the requested order."""


class Rearrangement:
    """Runs the threads of a recorded execution step by step, in an order the caller chooses.

    >>> steps = [(0, "start", 1, 0), (1, "begin", 1, 0), (1, "write", 0, 70001), (0, "read", 0, 70002)]
    >>> other = Rearrangement(steps)
    >>> other.begin()
    >>> other.run(0, 2)
    >>> other.run(1, 2)
    >>> [(thread, kind) for thread, kind, _, _ in other.steps]
    [(0, 'start'), (0, 'read'), (1, 'begin'), (1, 'write')]
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self.programs: dict[int, list[Step]] = {0: []}
        self._starts: dict[int, tuple[int, int]] = {}  # maps a thread to its starter and the index of the start step
        self._givers: dict[tuple[str, int], list[tuple[int, int]]] = {}  # maps (kind, target) to (thread, index) pairs
        initial_levels: dict[tuple[str, int], int] = {}  # maps (kind, target) to the initial number of permits or items
        balance: dict[tuple[str, int], int] = {}
        for step in steps:
            thread, kind, target, _ = step
            if kind == BLOCKED:  # whether a thread blocks depends on the order
                continue
            program = self.programs.setdefault(thread, [])
            if kind == START:
                self._starts[target] = thread, len(program)
            elif kind in COUNTED:
                resource = _GIVEN_BY[kind], target
                balance[resource] = balance.get(resource, 0) - 1
                initial_levels[resource] = max(initial_levels.get(resource, 0), -balance[resource])
            elif kind in _GIVES:
                self._givers.setdefault((kind, target), []).append((thread, len(program)))
                balance[kind, target] = balance.get((kind, target), 0) + 1
            program.append(step)
        self._initial_levels = initial_levels
        self.begin()

    def begin(self) -> None:
        """Reset to the state before any step was executed."""
        self.steps: list[Step] = []
        self._positions = dict.fromkeys(self.programs, 0)
        self._holders: dict[int, int] = {}
        self._levels = dict(self._initial_levels)
        self._flags: set[int] = set()  # the events that are set
        self._suspended: set[int] = set()

    def suspend(self, thread: int) -> None:
        """Suspend a thread, so that it does not run even to unblock another thread."""
        self._suspended.add(thread)

    def resume(self, thread: int) -> None:
        """Allow a suspended thread to run again."""
        self._suspended.discard(thread)

    def run(self, thread: int, until: int, _depth: int = 0) -> None:
        """Run a thread until it has executed `until` steps; raise `ImpossibleError` if it cannot."""
        if thread in self._suspended or _depth > _MAX_DEPTH:
            raise ImpossibleError
        program = self.programs.get(thread, [])
        at = self._positions
        while at[thread] < until:
            step = program[at[thread]]
            if not self._possible(step):
                self._wait(step, _depth)
                continue
            at[thread] += 1
            self._do(step)

    def done(self, thread: int) -> int:
        """Return how many steps a thread has executed."""
        return self._positions[thread]

    def run_as_far_as_possible(self, thread: int) -> None:
        """Run a thread until it ends or is permanently blocked."""
        with suppress(ImpossibleError):
            self.run(thread, len(self.programs.get(thread, [])))

    # -- one step -----------------------------------------------------------------------------------

    def _possible(self, step: Step) -> bool:
        thread, kind, target, _ = step
        if kind == ACQUIRE:
            return target not in self._holders
        if kind == WAIT_SET:
            return target in self._flags or (SET, target) not in self._givers
        if kind in _GIVEN_BY:
            return self._levels.get((_GIVEN_BY[kind], target), 0) > 0
        if kind == BEGIN:
            started = self._starts.get(thread)
            return started is None or self._positions[started[0]] > started[1]
        if kind == JOIN:
            return self._positions.get(target, 0) >= len(self.programs.get(target, ()))
        return True

    def _do(self, step: Step) -> None:
        thread, kind, target, _ = step
        self.steps.append(step)
        if kind == ACQUIRE:
            self._holders[target] = thread
        elif kind == RELEASE:
            self._holders.pop(target, None)
        elif kind in COUNTED:
            self._levels[_GIVEN_BY[kind], target] -= 1
        elif kind == SET:
            self._flags.add(target)
        elif kind in _GIVES:
            self._levels[kind, target] = self._levels.get((kind, target), 0) + 1
        elif kind == WAIT:
            self._levels[_GIVEN_BY[WOKEN], target] = 0  # only later notifications wake the waiting thread
        elif kind == CLEAR:
            self._flags.discard(target)

    def _wait(self, step: Step, depth: int) -> None:
        """Run the threads that can enable a step until the step becomes possible."""
        thread, kind, target, site = step
        if kind == BEGIN:
            starter, index = self._starts[thread]
            self.run(starter, index + 1, depth + 1)
            return
        if kind == JOIN:
            self.run(target, len(self.programs.get(target, ())), depth + 1)
            return
        self.steps.append((thread, BLOCKED, target, site))
        if kind == ACQUIRE:
            holder = self._holders[target]
            if holder == thread:
                raise ImpossibleError
            program = self.programs[holder]
            released = next(
                (i for i in range(self._positions[holder], len(program)) if program[i][1:3] == (RELEASE, target)), None
            )
            if released is None:
                raise ImpossibleError
            self.run(holder, released + 1, depth + 1)
            return
        for giver, index in self._givers.get((_GIVEN_BY[kind], target), ()):
            if giver != thread and giver not in self._suspended and self._positions[giver] <= index:
                self.run(giver, index + 1, depth + 1)
                return
        raise ImpossibleError
