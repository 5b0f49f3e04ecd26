"""Reachability testing: every partial order of a scenario's operations, each exactly once.

Lei and Carver (Reachability testing of concurrent programs, TSE 2006) run a program, find the races in what it did,
and reverse them: each race variant is the prefix of another execution. Their counters of changed events, which tell
whether a variant was already explored, are replaced by optimal dynamic partial order reduction (see
`raddle.schedulers.wakeup`): the path to the current execution keeps which threads need not go first any more and which
sequences are still to be explored. Nothing else is stored, and no execution is begun that turns out to be known.

What the operations of a world touch, need and supply is up to its calculus (see `raddle.schedulers.calculus`).

Executions of one partial order can still differ in what they cover, by some criteria. If such criteria are measured,
every interleaving follows after that, each exactly once: the same search, in which everything depends on everything.

Departures: operations that block race with whatever kept them from being possible, also if they never were; what
is enabled by one certain operation (a join, a notification, a set) does not race with it; passing time comes after
everything before it and before everything after it.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from raddle.schedulers.base import Alternative, Scheduler, SearchProgress, Thread
from raddle.schedulers.calculus import Calculus
from raddle.schedulers.dependence import Choice, Names, Operation
from raddle.schedulers.operation_log import Log, Logbook
from raddle.schedulers.partial_order import Order
from raddle.schedulers.wakeup import Node, Rest

MOST = 2_000  # operations of one execution that are looked at: more could not be searched anyway
MAX_INTERLEAVINGS = 10_000  # that are run besides, for criteria that tell them apart
_FOUND_OUT = ("_coarse", "_left", "bound", "cut", "difference", "redundant")  # while an execution runs
UNFAIR = 900  # steps in a row while others could go on; below the controller's own patience


class Reachability(Scheduler):
    """>>> search = Reachability()
    >>> search.begin(1, 0)
    True
    """

    complete = True
    follows = True  # wants to be asked at every operation, and to be told what happens between them
    kinds = ("event", "join", "lock", "semaphore")  # what gives something back is an operation of its own

    def __init__(self) -> None:
        self._space: int | None = None
        self._started = False
        self._wanted = False  # every interleaving, after every partial order
        self._names = Names()
        self._path: list[Node] = []
        self._operations: list[Operation] = []  # of the last execution, by depth
        self._coarse = False  # does an operation do more than it says?
        self._finest = False  # every partial order was had: now interleavings
        self._left = 0  # how many more of those
        self.redundant = 0  # executions that turned out to be known: there should be none
        self.cut = False  # some partial order may have been left out
        self.bound = ""  # by what
        self.difference: str | None = None  # where an execution that began as another one went on in another way
        self.every_order = False  # every partial order was had
        self.every_interleaving = False  # and every interleaving

    def require_all_interleavings(self) -> None:
        self._wanted = True

    # -- executions ---------------------------------------------------------------------------------

    def begin(self, number: int, space: int) -> bool:
        if not self._started or space != self._space:
            self._restart()
            self.cut = self.every_order = self._finest = False
        elif not self._backtrack() and not self._go_on():
            return False
        if self._finest:
            if self._left == 0:
                return False
            self._left -= 1
        self._started = True
        self._space = space
        self._streak = 0
        return True

    def progress(self) -> SearchProgress:
        return SearchProgress(
            self.bound if self.cut else "", self.difference, self.every_order, self.every_interleaving
        )

    def planned(self) -> int:
        """Return how many more partial orders there are at least; running these may reveal more."""
        return 0 if self._finest else sum(branch.ends() for node in self._path for branch in node.branches)

    def _restart(self) -> None:
        self._path = []
        self._names = Names()

    def _go_on(self) -> bool:
        """Every partial order was had, or every interleaving: is there more to do?"""
        self.every_order = True
        self.every_interleaving = self._finest or self._coarse
        if self.every_interleaving or not self._wanted:
            return False
        self._finest, self._left = True, MAX_INTERLEAVINGS
        self._restart()
        return True

    def watch(self, calculus: Calculus, visible: Container[str], *, coarse: bool) -> Logbook:
        """Follow an execution that begins now; return the log book to which its events are to be reported.

        `visible` are the kinds of resource whose state is looked at; `coarse`: an operation does more than it says.
        """
        self._coarse = coarse
        reader = calculus.reader(visible, everything=coarse or self._finest)
        self._book = Logbook(self._names, reader, calculus)
        self._log = self._book.log
        return self._book

    def _backtrack(self) -> bool:
        """Go back to the last state from which something is still to be tried."""
        path = self._path
        while path:
            path[-1].tried(self._operations[len(path) - 1])
            if path[-1].take_branch():
                return True
            path.pop()
        return False

    def end(self) -> None:
        log, path = self._log, self._path
        if len(log.done) >= MOST:
            log.waiting = ()
            self._leave_out(f"{MOST:,} operations per execution")
        del path[len(log.done) :]
        self._operations = [done.operation for done in log.done]
        if path and log.cut_short:
            path[-1].ending = path[-1].taken
        self._turn_round(log)

    def _leave_out(self, bound: str) -> None:
        """It cannot be claimed any more that everything is visited."""
        if self._finest:
            self._left = 0
        else:
            self.cut, self.bound = True, bound

    def _turn_round(self, log: Log) -> None:
        """Plan an execution for each race that can be turned round."""
        order = Order(log)
        for race in order.races():
            node = self._path[race.first]
            if race.others or node.ending != race.choice:
                node.plan(Rest(race, log, order, self._names.looks))

    def memory(self) -> object:
        return self._log, self._path, self._names, {name: getattr(self, name) for name in _FOUND_OUT}

    def remember(self, memory: object) -> None:
        found: Any = memory
        self._log, self._path, self._names, found_out = found
        self.__dict__.update(found_out)

    # -- decisions ----------------------------------------------------------------------------------

    def choose(self, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        depth, path, book = len(self._log.done), self._path, self._book
        if depth >= MOST:
            return self._fairly(enabled, current)
        pending = book.look_at(enabled)
        if depth == len(path):
            log = self._log
            following = path and path[-1].next(log.done[-1].operation, log.calculus.conflicts, self._names.looks)
            path.append(following or Node({}, []))
        node = path[depth]
        if node.sleeping or node.branches:
            node.translate(pending)
        chosen = self._planned(node, enabled, depth) or self._awake(node, enabled, current)
        assert node.taken is not None
        book.do(chosen, node.taken)
        return chosen

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        if len(self._log.done) > len(self._path):  # beyond MOST
            return 0
        taken = self._path[len(self._log.done) - 1].taken
        return next((at for at, option in enumerate(options) if taken == (thread.label, option.label)), 0)

    def _planned(self, node: Node, enabled: Sequence[Thread], depth: int) -> Thread | None:
        """Return the first thread of the sequence being explored, if there is one."""
        if node.taken is None:
            return None
        label = node.taken[0]
        for thread in enabled:
            if thread.label == label and (thread.alternatives is None or node.taken in _choices(thread)):
                return thread
        if depth < len(self._path) - 1:  # the same operations were done before, and led to this state
            self.difference = f"operation {depth + 1}: the first time {label} could go on, the second time not"
        self._leave_out("what could be foreseen")  # the sequence is not possible after all
        node.give_up()
        return None

    def _awake(self, node: Node, enabled: Sequence[Thread], current: Thread | None) -> Thread:
        """Take a choice that may come first."""
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
        chosen = self._fairly(awake, current)
        label = chosen.label
        node.taken = (label, "") if chosen.alternatives is None else _awake(chosen, sleeping) or _choices(chosen)[0]
        return chosen

    def _fairly(self, awake: Sequence[Thread], current: Thread | None) -> Thread:
        """Return the running thread, unless it has run for very long."""
        chosen = current if current is not None and current in awake else awake[0]
        self._streak = self._streak + 1 if chosen is current else 0
        if self._streak > UNFAIR:
            self._streak = 0
            return next((thread for thread in awake if thread.index > chosen.index), awake[0])
        return chosen


def _choices(thread: Thread) -> list[Choice]:
    """Return what a thread can do now: one choice for each outcome that its operation can have."""
    alternatives = () if thread.alternatives is None else thread.alternatives()
    return [(thread.label, alternative.label) for alternative in alternatives]


def _awake(thread: Thread, sleeping: Container[Choice]) -> Choice | None:
    """Return the first choice that does not sleep, of a thread with alternatives."""
    return next((choice for choice in _choices(thread) if choice not in sleeping), None)
