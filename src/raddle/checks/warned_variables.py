"""Warnings about variables that seem poorly guarded, based on Eraser's locksets and Avio's unserializable cases.

There is one lockset warning for each variable whose Eraser automaton (`raddle.analysis.eraser`) reaches the race state.
The warning's sites are those of two accesses by different threads that hold no lock in common. At least one of the
accesses is a write. The warning's note names the kind of each access and the locks held. There may be no such pair, for
example if the only thread that writes the variable also reads it without a lock. In that case, the sites are those of
several accesses without a common lock, and the note marks each access with "sometimes". A pair found later replaces
such a vague warning.

Avio (Lu, Tucek, Qin, Zhou, 2006) treats two consecutive accesses of a thread to a variable as a block, and learns from
many runs which blocks are meant to be atomic. Such runs are not available here, so a block must lie within one call of
a function, and its second access must come later in the source. If a loop or a second call repeats an access, the
program need not expect the variable to stay unchanged. An access by another thread in between counts as intended if the
program itself orders it after the first access and before the second, by a start, a join, a wait or a message. The
order in which threads acquire locks does not count. All accesses in between are considered, not only the last one. The
sites are those of the first access, the other thread's access and the second access, and the note names the kind of
each. There is one warning for each variable and block.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import combinations

from raddle.analysis.eraser import EXCLUSIVE, RACE, Guarded
from raddle.analysis.happens_before import ORDERING, HappensBefore, PublishedClock
from raddle.analysis.locksets import HeldLocks
from raddle.entities import Entities
from raddle.operation import ACCESSES, ACQUIRE, ENTER, LEAVE, LOCKING, RELEASE, TASK, WRITE
from raddle.step import Step
from raddle.warning import LOCKSET, SOMETIMES, UNSERIALIZABLE, ReportedWarning

_PROGRAM_ORDER = ORDERING - LOCKING  # kinds of steps, other than lock operations, that order threads

# An access: its site, whether it writes, its index among the accesses to the variable, the number of its function call,
# the clock of its thread, and the locks that the thread held.
_Access = tuple[int, bool, int, int, PublishedClock, frozenset[int]]
_Guard = tuple[int, bool, frozenset[int]]  # a kind of access: the thread, True for a write, the locks held
MAX_GUARDS = 64  # maximum number of kinds of access stored for one variable


class WarnedVariables:
    """Finds poorly guarded variables in all executions that it observes.

    >>> from raddle.entities import AbstractVariable, make_entities
    >>> check = WarnedVariables()
    >>> check.begin(make_entities(variables=[AbstractVariable("m.py:C", "", "n")]))
    >>> check.feed([(1, "read", 0, 70001), (2, "write", 0, 70009), (1, "write", 0, 70002)])
    >>> for warning in check.warnings(): print(warning.kind, warning.sites, warning.note)
    lockset (70009, 70002) written under no lock, written under no lock
    unserializable (70001, 70009, 70002) read, written, written
    """

    gave_up = False

    def __init__(self) -> None:
        # Maps the kind, the variable and the block to the warning.
        self._found: dict[tuple[str, str, str, tuple[int, ...]], ReportedWarning] = {}
        self.begin(Entities())

    def begin(self, entities: Entities) -> None:
        """Prepare for the steps of a new execution."""
        self._entities = entities
        self._held = HeldLocks()
        self._order = HappensBefore()
        self._calls = _Calls()
        self._variables: dict[int, _VariableState] = {}

    def feed(self, steps: Iterable[Step]) -> None:
        """Process the next steps of the execution, in order."""
        held, order, calls, variables = self._held, self._order, self._calls, self._variables
        for thread, kind, target, site in steps:
            if kind in ACCESSES:
                variable = variables.get(target)
                if variable is None:
                    variable = variables[target] = _VariableState()
                published = (order.thread_clocks.get(thread) or order.thread_clock(thread)).publish()
                variable.count += 1
                access = (site, kind == WRITE, variable.count, calls.innermost(thread), published, held.by(thread))
                self._accessed(target, variable, thread, access)
            elif kind == ACQUIRE:
                held.acquired(thread, target)
            elif kind == RELEASE:
                held.released(thread, target)
            elif kind in _PROGRAM_ORDER:
                order.step(thread, kind, target)
            elif kind == ENTER:
                calls.enter(thread)
            elif kind == LEAVE:
                calls.leave(thread)
            elif kind == TASK:  # a block does not span two tasks of a pool worker
                calls.restart(thread)

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """Drop the state of variables and resources that no later step touches."""
        for variable in variables:
            self._variables.pop(variable, None)
        self._order.forget(resources)

    def warnings(self) -> list[ReportedWarning]:
        """Return all warnings so far."""
        return [self._found[key] for key in sorted(self._found)]

    def _accessed(self, number: int, variable: _VariableState, thread: int, access: _Access) -> None:
        previous = variable.by_thread.get(thread)
        if thread != variable.thread and previous is not None:
            self._check_block(number, variable, previous, access)
        if not variable.warned:
            self._check_locks(number, variable, thread, access)
        variable.by_thread[thread] = access
        variable.thread = thread
        if access[1]:
            variable.write = access
        else:
            variable.read = access

    def _check_locks(self, number: int, variable: _VariableState, thread: int, access: _Access) -> None:
        guarded, guards = variable.guarded, variable.guards
        guarded.access(thread, write=access[1], held=access[5])
        if guarded.state is EXCLUSIVE:  # only one thread has accessed the variable, so no lock is needed yet
            return
        guard = (thread, access[1], access[5])
        is_new = guards.pop(guard, None) is None
        guards[guard] = access
        if len(guards) > MAX_GUARDS:
            del guards[next(iter(guards))]
        if guarded.state is RACE and (is_new or not variable.raced):
            self._warn_about_locks(number, variable)

    def _warn_about_locks(self, number: int, variable: _VariableState) -> None:
        variable.raced = True
        pairs = list(_unguarded(variable.guards))
        if pairs:
            variable.warned = True
            # Prefer a pair that the program itself does not order, then the latest pair.
            pair = max(pairs, key=lambda two: (not _happens_after(two[1][4], two[0][4]), two[1][2], two[0][2]))
            self._warn(LOCKSET, number, (pair[0][0], pair[1][0]), note=", ".join(self._describe(pair)), block=())
            return
        accesses = _without_common_lock(variable.guards)
        if accesses:
            note = ", ".join(f"{SOMETIMES}{done}" for done in self._describe(accesses))
            self._warn(LOCKSET, number, tuple(access[0] for access in accesses), note=note, block=())

    def _check_block(self, number: int, variable: _VariableState, first: _Access, second: _Access) -> None:
        """Warn if accesses by other threads between `first` and `second` form one of the four unserializable cases."""
        between = variable.read if first[1] and second[1] else variable.write
        if between is None or between[2] < first[2]:
            return
        if first[3] != second[3] or first[0] >= second[0]:
            return
        if _happens_after(between[4], first[4]) and _happens_after(second[4], between[4]):
            return
        note = ", ".join(_verb(access) for access in (first, between, second))
        self._warn(UNSERIALIZABLE, number, (first[0], between[0], second[0]), note=note, block=(first[0], second[0]))

    def _warn(self, kind: str, number: int, sites: tuple[int, ...], *, note: str, block: tuple[int, ...]) -> None:
        variable = self._entities.variables[number]
        key = (kind, variable.owner, variable.name, block)
        warning = ReportedWarning(kind, variable.declared, sites, note)
        if key not in self._found or (self._found[key].is_vague and not warning.is_vague):
            self._found[key] = warning

    def _describe(self, accesses: Iterable[_Access]) -> Iterator[str]:
        """Describe each access with its locks; a different lock created at the same place is called "another ..."."""
        locks_by_name: dict[str, int] = {}  # maps a name to the first lock with that name
        for access in accesses:
            names = set()
            for lock in sorted(access[5]):
                name = str(self._entities.resources[lock])
                is_first = locks_by_name.setdefault(name, lock) == lock
                names.add(name if is_first else "another " + name.removeprefix("the ").removeprefix("a "))
            yield f"{_verb(access)} under {' and '.join(sorted(names)) or 'no lock'}"


class _VariableState:
    """The last accesses to one variable, and the state of its lockset analysis."""

    __slots__ = ("by_thread", "count", "guarded", "guards", "raced", "read", "thread", "warned", "write")

    def __init__(self) -> None:
        self.guarded = Guarded()
        self.guards: dict[_Guard, _Access] = {}  # the last access of each kind, in chronological order
        self.raced = False  # True once no common lock is left
        self.warned = False  # True once a pair without a common lock has been reported
        self.count = 0
        self.thread = -1  # the last thread to access the variable
        self.by_thread: dict[int, _Access] = {}
        self.read: _Access | None = None  # the last read by any thread
        self.write: _Access | None = None  # the last write by any thread


class _Calls:
    """Tracks the current function call of each thread; every call has a unique number."""

    __slots__ = ("_entered", "_stacks")

    def __init__(self) -> None:
        self._entered = 0
        self._stacks: dict[int, list[int]] = {}

    def enter(self, thread: int) -> None:
        self._entered += 1
        self._stacks.setdefault(thread, []).append(self._entered)

    def leave(self, thread: int) -> None:
        stack = self._stacks.get(thread)
        if stack:
            stack.pop()

    def restart(self, thread: int) -> None:
        self._stacks[thread] = []
        self.enter(thread)

    def innermost(self, thread: int) -> int:
        stack = self._stacks.get(thread)
        return stack[-1] if stack else 0


def _happens_after(later: PublishedClock, earlier: PublishedClock) -> bool:
    """Return whether one access happens after another in the order that the program itself imposes."""
    return later[0] == earlier[0] or later[2].get(earlier[0], 0) >= earlier[1]


def _unguarded(guards: dict[_Guard, _Access]) -> Iterator[tuple[_Access, _Access]]:
    """Yield pairs of accesses by different threads, earlier access first, that include a write and share no lock."""
    for ((one, writes, held), first), ((other, also_writes, also_held), second) in combinations(guards.items(), 2):
        if one != other and (writes or also_writes) and not held & also_held:
            yield first, second


def _without_common_lock(guards: dict[_Guard, _Access]) -> list[_Access]:
    """Return a few accesses, earliest first, that have no lock in common; [] if such accesses are no longer stored."""
    candidates = [access for _, access in reversed(guards.items())]
    chosen = [min(candidates, key=lambda access: len(access[5]))]
    common = chosen[0][5]
    for access in candidates:
        if not common:
            break
        if common & access[5] != common:
            chosen.append(access)
            common &= access[5]
    return [] if common else sorted(chosen, key=lambda access: access[2])


def _verb(access: _Access) -> str:
    return "written" if access[1] else "read"
