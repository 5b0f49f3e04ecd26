"""Variables that look badly guarded: by Eraser, and by Avio's unserializable cases.

Eraser's automaton (`raddle.analysis.eraser`) reaching its race is one caution for each variable. Its sites are two
accesses of different threads, one of them a write, that have no lock in common; its note says what was done there
under which locks. If there were no such two (a thread may only read what it has without a lock), the sites are accesses
that no lock is common to, and the note says of each that it is so sometimes; two that come later are better.

Avio (Lu, Tucek, Qin, Zhou, 2006) takes two consecutive accesses of a thread to a variable for a block, and learns from
many runs which blocks are meant to be atomic. Nobody has such runs here. So a block has to be within one call of a
function, forwards in the source: a loop that comes round, or a method called twice, does not promise that nothing
changed. And if the program's own order has the other thread's access after the first and before the second (it was
started, joined, waited for, sent a message), that is meant; the order in which locks were had is not the program's.
All accesses in between count, not only the last. The sites are those of the first access, the other thread's, and
the second; the note says what was done there. One caution is enough for each variable and block.
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

_MEANT = ORDERING - LOCKING

# An access: its site, did it write, the how-manieth of its variable it is, in which call of a function, what its
# thread knew there, which locks it held.
_Access = tuple[int, bool, int, int, PublishedClock, frozenset[int]]
_Guard = tuple[int, bool, frozenset[int]]  # how a variable is accessed: by whom, to write, under which locks
MAX_GUARDS = 64  # of one variable that are remembered


class WarnedVariables:
    """Watches executions, and remembers what it found in all of them.

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
        self._found: dict[tuple[str, str, str, tuple[int, ...]], ReportedWarning] = {}  # by kind, variable and block
        self.begin(Entities())

    def begin(self, entities: Entities) -> None:
        """An execution begins."""
        self._cast = entities
        self._held = HeldLocks()
        self._order = HappensBefore()
        self._calls = _Calls()
        self._watched: dict[int, _Watched] = {}

    def feed(self, steps: Iterable[Step]) -> None:
        """These steps happened, in this order."""
        held, order, calls, watched = self._held, self._order, self._calls, self._watched
        for thread, kind, target, site in steps:
            if kind in ACCESSES:
                variable = watched.get(target)
                if variable is None:
                    variable = watched[target] = _Watched()
                published = (order.thread_clocks.get(thread) or order.thread_clock(thread)).publish()
                variable.count += 1
                access = (site, kind == WRITE, variable.count, calls.innermost(thread), published, held.by(thread))
                self._accessed(target, variable, thread, access)
            elif kind == ACQUIRE:
                held.acquired(thread, target)
            elif kind == RELEASE:
                held.released(thread, target)
            elif kind in _MEANT:
                order.step(thread, kind, target)
            elif kind == ENTER:
                calls.enter(thread)
            elif kind == LEAVE:
                calls.leave(thread)
            elif kind == TASK:  # no block spans two tasks of a pool's worker
                calls.start_anew(thread)

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        """There will be no more steps about these."""
        for variable in variables:
            self._watched.pop(variable, None)
        self._order.forget(resources)

    def warnings(self) -> list[ReportedWarning]:
        """Everything suspicious in all executions so far."""
        return [self._found[key] for key in sorted(self._found)]

    def _accessed(self, number: int, variable: _Watched, thread: int, access: _Access) -> None:
        mine = variable.by_thread.get(thread)
        if thread != variable.thread and mine is not None:
            self._look_at_block(number, variable, mine, access)
        if not variable.warned:
            self._look_at_locks(number, variable, thread, access)
        variable.by_thread[thread] = access
        variable.thread = thread
        if access[1]:
            variable.write = access
        else:
            variable.read = access

    def _look_at_locks(self, number: int, variable: _Watched, thread: int, access: _Access) -> None:
        guarded, guards = variable.guarded, variable.guards
        guarded.access(thread, write=access[1], held=access[5])
        if guarded.state is EXCLUSIVE:  # made ready by one thread: nothing has to guard it yet
            return
        guard = (thread, access[1], access[5])
        is_new = guards.pop(guard, None) is None
        guards[guard] = access
        if len(guards) > MAX_GUARDS:
            del guards[next(iter(guards))]
        if guarded.state is RACE and (is_new or not variable.raced):
            self._warn_of_locks(number, variable)

    def _warn_of_locks(self, number: int, variable: _Watched) -> None:
        variable.raced = True
        pairs = list(_unguarded(variable.guards))
        if pairs:
            variable.warned = True
            # Two that the program itself has in order are less telling; else the latest ones.
            pair = max(pairs, key=lambda two: (not _knows(two[1][4], two[0][4]), two[1][2], two[0][2]))
            self._warn(LOCKSET, number, (pair[0][0], pair[1][0]), note=", ".join(self._guarding(pair)), block=())
            return
        some = _without_common_lock(variable.guards)
        if some:
            note = ", ".join(f"{SOMETIMES}{done}" for done in self._guarding(some))
            self._warn(LOCKSET, number, tuple(access[0] for access in some), note=note, block=())

    def _look_at_block(self, number: int, variable: _Watched, first: _Access, second: _Access) -> None:
        """Other threads came between: was it in one of the four ways that no serial order has?"""
        between = variable.read if first[1] and second[1] else variable.write
        if between is None or between[2] < first[2]:
            return
        if first[3] != second[3] or first[0] >= second[0]:
            return
        if _knows(between[4], first[4]) and _knows(second[4], between[4]):
            return
        note = ", ".join(_did(access) for access in (first, between, second))
        self._warn(UNSERIALIZABLE, number, (first[0], between[0], second[0]), note=note, block=(first[0], second[0]))

    def _warn(self, kind: str, number: int, sites: tuple[int, ...], *, note: str, block: tuple[int, ...]) -> None:
        variable = self._cast.variables[number]
        known = (kind, variable.owner, variable.name, block)
        warning = ReportedWarning(kind, variable.declared, sites, note)
        if known not in self._found or (self._found[known].is_vague and not warning.is_vague):
            self._found[known] = warning

    def _guarding(self, accesses: Iterable[_Access]) -> Iterator[str]:
        """What was done under which locks; locks made at one place, as by one constructor, are told apart."""
        told: dict[str, int] = {}  # by name: which lock it is
        for access in accesses:
            names = set()
            for lock in sorted(access[5]):
                name = str(self._cast.resources[lock])
                is_first = told.setdefault(name, lock) == lock
                names.add(name if is_first else "another " + name.removeprefix("the ").removeprefix("a "))
            yield f"{_did(access)} under {' and '.join(sorted(names)) or 'no lock'}"


class _Watched:
    """The last accesses to one variable."""

    __slots__ = ("by_thread", "count", "guarded", "guards", "raced", "read", "thread", "warned", "write")

    def __init__(self) -> None:
        self.guarded = Guarded()
        self.guards: dict[_Guard, _Access] = {}  # the last access of each kind, the latest last
        self.raced = False  # is no lock left?
        self.warned = False  # of two accesses that have no lock in common
        self.count = 0
        self.thread = -1  # who was the last
        self.by_thread: dict[int, _Access] = {}
        self.read: _Access | None = None  # the last one of all
        self.write: _Access | None = None


class _Calls:
    """In which call of a function each thread is; every call has a number of its own."""

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

    def start_anew(self, thread: int) -> None:
        self._stacks[thread] = []
        self.enter(thread)

    def innermost(self, thread: int) -> int:
        stack = self._stacks.get(thread)
        return stack[-1] if stack else 0


def _knows(later: PublishedClock, earlier: PublishedClock) -> bool:
    """Is the one access after the other in the program's own order?"""
    return later[0] == earlier[0] or later[2].get(earlier[0], 0) >= earlier[1]


def _unguarded(guards: dict[_Guard, _Access]) -> Iterator[tuple[_Access, _Access]]:
    """Two accesses of different threads, in their order, one of them a write, that have no lock in common."""
    for ((one, writes, held), first), ((other, too, also_held), second) in combinations(guards.items(), 2):
        if one != other and (writes or too) and not held & also_held:
            yield first, second


def _without_common_lock(guards: dict[_Guard, _Access]) -> list[_Access]:
    """As few accesses as will do, in their order, that no lock is common to; none if those are not remembered."""
    left = [access for _, access in reversed(guards.items())]
    chosen = [min(left, key=lambda access: len(access[5]))]
    common = chosen[0][5]
    for access in left:
        if not common:
            break
        if common & access[5] != common:
            chosen.append(access)
            common &= access[5]
    return [] if common else sorted(chosen, key=lambda access: access[2])


def _did(access: _Access) -> str:
    return "written" if access[1] else "read"
