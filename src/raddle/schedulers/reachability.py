"""Reachability testing: runs every partial order of a scenario's operations exactly once.

Lei and Carver (Reachability testing of concurrent programs, TSE 2006) run a program, find the races in the execution
and reverse them. Each race variant is the prefix of another execution. Their algorithm uses counters of changed events
to recognize variants that have already been explored. This search uses optimal dynamic partial order reduction instead
(see `raddle.schedulers.wakeup`): each state on the path to the current execution has a sleep set and a wakeup tree.
Nothing else is stored, and no redundant execution is started.

The calculus of a world defines what its operations touch, need and supply (see `raddle.schedulers.calculus`).

Some criteria distinguish executions with the same partial order. If such criteria are measured, a second search runs
every interleaving exactly once. It works like the first search, but treats all operations as dependent on each other.

Unlike in the paper, a blocked operation races with the operations that disabled it, even if it was never enabled. An
operation does not race with the only operation that can enable it, such as the end of a joined thread, a notification
or a call to `Event.set`. An advance of virtual time is ordered after all earlier operations and before all later ones.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from raddle.schedulers.base import Alternative, Scheduler, SearchProgress, Thread
from raddle.schedulers.calculus import Calculus
from raddle.schedulers.dependence import Choice, Names, Operation
from raddle.schedulers.operation_log import Log, Logbook
from raddle.schedulers.partial_order import Order
from raddle.schedulers.wakeup import Node, Reversal

MAX_OPERATIONS = 2_000  # maximum number analyzed per execution; a search over longer executions could not finish anyway
MAX_INTERLEAVINGS = 10_000  # maximum number of additional executions for criteria that distinguish interleavings
# Attributes that may change while an execution runs, and must be transferred if it ran in another process.
_TRANSFERRED = ("_coarse", "_interleavings_left", "bound", "cut", "difference", "redundant")
MAX_CONSECUTIVE_STEPS = 900  # maximum for one thread while others are enabled; below the engine's own limit


class Reachability(Scheduler):
    """Runs every partial order exactly once.

    >>> search = Reachability()
    >>> search.begin(1, 0)
    True
    """

    complete = True
    follows = True  # called at every operation, and notified of the events between operations
    kinds = (
        "event",
        "join",
        "lock",
        "message",
        "semaphore",
    )  # kinds of resource whose releases are separate operations

    def __init__(self) -> None:
        self._space: int | None = None
        self._started = False
        self._interleavings_required = False  # True if all interleavings are to be run after all partial orders
        self._names = Names()
        self._path: list[Node] = []
        self._operations: list[Operation] = []  # operations of the last execution, by depth
        self._coarse = False  # True if a thread may perform several accesses between two scheduling points
        self._by_interleaving = False  # True while the search runs interleavings, once all partial orders have been run
        self._interleavings_left = 0  # number of interleavings that may still be run
        self.redundant = 0  # number of redundant executions; should stay 0
        self.cut = False  # True if a partial order may have been missed
        self.bound = ""  # description of the bound that caused `cut`
        self.difference: str | None = None  # where an execution deviated from an earlier one with the same prefix
        self.every_order = False  # True if every partial order has been run
        self.every_interleaving = False  # True if every interleaving has been run

    def require_all_interleavings(self) -> None:
        self._interleavings_required = True

    # -- executions ---------------------------------------------------------------------------------

    def begin(self, number: int, space: int) -> bool:
        if not self._started or space != self._space:
            self._restart()
            self.cut = self.every_order = self._by_interleaving = False
        elif not self._backtrack() and not self._start_interleavings():
            return False
        if self._by_interleaving:
            if self._interleavings_left == 0:
                return False
            self._interleavings_left -= 1
        self._started = True
        self._space = space
        self._streak = 0
        return True

    def progress(self) -> SearchProgress:
        return SearchProgress(
            self.bound if self.cut else "", self.difference, self.every_order, self.every_interleaving
        )

    def planned(self) -> int:
        """Return the number of planned partial orders; running them may reveal more."""
        return 0 if self._by_interleaving else sum(branch.leaves() for node in self._path for branch in node.branches)

    def _restart(self) -> None:
        self._path = []
        self._names = Names()

    def _start_interleavings(self) -> bool:
        """Finish a search. Return whether a search over all interleavings follows."""
        self.every_order = True
        self.every_interleaving = self._by_interleaving or self._coarse
        if self.every_interleaving or not self._interleavings_required:
            return False
        self._by_interleaving, self._interleavings_left = True, MAX_INTERLEAVINGS
        self._restart()
        return True

    def watch(self, calculus: Calculus, visible: Container[str], *, coarse: bool) -> Logbook:
        """Begin an execution; return the logbook to which the engine reports its events.

        `visible` contains the kinds of resource that threads observe without blocking. If `coarse` is true, a
        thread may perform several accesses between two scheduling points.
        """
        self._coarse = coarse
        reader = calculus.reader(visible, everything=coarse or self._by_interleaving)
        self._book = Logbook(self._names, reader, calculus)
        self._log = self._book.log
        return self._book

    def _backtrack(self) -> bool:
        """Backtrack to the last state with an unexplored branch; return False if there is none."""
        path = self._path
        while path:
            path[-1].put_to_sleep(self._operations[len(path) - 1])
            if path[-1].take_branch():
                return True
            path.pop()
        return False

    def end(self) -> None:
        log, path = self._log, self._path
        if len(log.done) >= MAX_OPERATIONS:
            log.waiting = ()
            self._mark_incomplete(f"operations per execution ({MAX_OPERATIONS:,})")
        del path[len(log.done) :]
        self._operations = [done.operation for done in log.done]
        if path and log.cut_short:
            path[-1].aborting = path[-1].taken
        self._reverse_races(log)

    def _mark_incomplete(self, bound: str) -> None:
        """Record that this bound keeps the search from being exhaustive."""
        if self._by_interleaving:
            self._interleavings_left = 0
        else:
            self.cut, self.bound = True, bound

    def _reverse_races(self, log: Log) -> None:
        """Insert the reversal of each race into the wakeup tree of the state before the race."""
        order = Order(log)
        for race in order.races():
            node = self._path[race.first]
            if race.others or node.aborting != race.choice:
                node.insert(Reversal(race, log, order, self._names.descriptions))

    def memory(self) -> object:
        return self._log, self._path, self._names, {name: getattr(self, name) for name in _TRANSFERRED}

    def remember(self, memory: object) -> None:
        found: Any = memory
        self._log, self._path, self._names, attributes = found
        self.__dict__.update(attributes)

    # -- decisions ----------------------------------------------------------------------------------

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        depth, path, book = len(self._log.done), self._path, self._book
        if depth >= MAX_OPERATIONS:
            return self._choose_fairly(enabled, current)
        pending = book.describe_pending(enabled)
        if depth == len(path):
            log = self._log
            following = path and path[-1].successor(
                log.done[-1].operation, log.calculus.conflicts, self._names.descriptions
            )
            path.append(following or Node({}, []))
        node = path[depth]
        if node.sleeping or node.branches:
            node.update_operations(pending)
        chosen = self._planned(node, enabled, depth) or self._awake(node, enabled, current)
        assert node.taken is not None
        book.do(chosen, node.taken)
        return chosen

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        if len(self._log.done) > len(self._path):  # beyond MAX_OPERATIONS
            return 0
        taken = self._path[len(self._log.done) - 1].taken
        return next((at for at, option in enumerate(options) if taken == (thread.label, option.label)), 0)

    def _planned(self, node: Node, enabled: Sequence[Thread], depth: int) -> Thread | None:
        """Return the thread planned for this state; None if no thread is planned or the planned one is not enabled."""
        if node.taken is None:
            return None
        label = node.taken[0]
        for thread in enabled:
            if thread.label == label and (thread.alternatives is None or node.taken in _choices(thread)):
                return thread
        if depth < len(self._path) - 1:  # an earlier execution with the same prefix reached this state
            self.difference = (
                f"operation {depth + 1}: {label} was enabled in an earlier execution, but is not enabled now"
            )
        self._mark_incomplete("races that can be reversed as planned")  # the planned sequence is infeasible
        node.mark_infeasible()
        return None

    def _awake(self, node: Node, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        """Choose a thread that is not in the sleep set."""
        awake, sleeping = enabled, node.sleeping
        if sleeping:
            awake = [
                thread
                for thread in enabled
                if (thread.label, "") not in sleeping and (thread.alternatives is None or _awake(thread, sleeping))
            ]
            if not awake:
                self.redundant += 1
                awake = enabled
        chosen = self._choose_fairly(awake, current)
        label = chosen.label
        node.taken = (label, "") if chosen.alternatives is None else _awake(chosen, sleeping) or _choices(chosen)[0]
        return chosen

    def _choose_fairly(self, awake: Sequence[Thread], current: Thread | None) -> Thread:
        """Choose the running thread, unless it is asleep or has taken too many consecutive steps."""
        chosen = current if current is not None and current in awake else awake[0]
        self._streak = self._streak + 1 if chosen is current else 0
        if self._streak > MAX_CONSECUTIVE_STEPS:
            self._streak = 0
            return next((thread for thread in awake if thread.index > chosen.index), awake[0])
        return chosen


def _choices(thread: Thread) -> list[Choice]:
    """Return the current choices of a thread: one for each possible outcome of its pending operation."""
    alternatives = () if thread.alternatives is None else thread.alternatives()
    return [(thread.label, alternative.label) for alternative in alternatives]


def _awake(thread: Thread, sleeping: Container[Choice]) -> Choice | None:
    """Return the thread's first choice that is not in the sleep set; None if there is none."""
    return next((choice for choice in _choices(thread) if choice not in sleeping), None)
