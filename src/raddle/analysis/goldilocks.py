"""The GoldiLocks algorithm, which tracks for each access the threads that can access the variable next without a race.

Based on Elmas, Qadeer and Tasiran (PLDI 2007), in the form that distinguishes reads from writes. Each access has a
lockset of threads and resources. The lockset initially contains only the accessing thread. It grows by these rules:

    a thread in it gives to a resource (release, notify, set, up, put, task-done)    add the resource
    a thread takes from a resource in it (acquire, woken, wait-set, down, get, ...)  add the thread
    a thread in it starts another thread                                             add the started thread
    a thread joins a thread in it                                                    add the joining thread

Java's volatile variables have no counterpart in Python; events, semaphores, conditions and queues take their place. A
new access is free of races if its thread is in the locksets of all earlier accesses with which it conflicts. These are
the last write and, if the new access is a write, the last read of each thread since then. Up to the first race on a
variable, the verdicts agree exactly with happens-before. After a race, accesses before the last write are forgotten, as
in the paper.

For each conflicting access, three cheap checks come before a lockset is computed: whether the current thread made that
access, whether a lock held at that access is also held now, and whether the thread that made that access has
synchronized directly with the current thread. The verdict names the deciding check, because some criteria report that
check.

The paper keeps a list of synchronization operations and applies the rules lazily, starting at the last access to a
variable. If there are many variables, that list is long and is traversed often. Here the rules are applied immediately,
to all variables together. The lockset of an access contains the locksets of all later accesses by the same thread. So
it is enough to store one moment for each element (thread or resource) and each accessing thread: the element is in the
locksets of all accesses by that thread up to that moment. Applying a rule then means taking the maximum of two columns.
A synchronization operation takes time proportional to the number of threads. An access takes time proportional to the
number of threads that read the variable. Computing a lockset takes time proportional to the number of threads and kinds
of resources. None of these times depends on the length of the execution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

FIRST = "first"  # there is no earlier conflicting access
SAME_THREAD = "same thread"
SAME_LOCK = "same lock"
TWO_THREADS = "two threads"
LOCKSET = "lockset"
RACE = "race"
# The cheapest check comes first; RACE means that all checks failed.
CHECKS = (FIRST, SAME_THREAD, SAME_LOCK, TWO_THREADS, LOCKSET, RACE)

_COST = {check: number for number, check in enumerate(CHECKS)}

# The column of an element maps each thread to a moment. The locksets of all accesses by the thread up to that moment
# contain the element.
_Column = dict[int, int]
_Access = tuple[int, frozenset[int]]  # moment, locks held at the access
_NEVER = -1
_NO_THREAD = -1


# The check that decided whether an access is a race, and the thread and moment of the earlier access. If several
# accesses conflict, the access with the most expensive check counts. If several accesses need the same check, the
# latest one counts.
Verdict = tuple[str, int, int]

_NOTHING_BEFORE: Verdict = (FIRST, _NO_THREAD, _NEVER)


class Goldilocks:
    """The GoldiLocks analysis of one execution.

    >>> trace = Goldilocks()
    >>> trace.access(1, 40, write=True, held=frozenset())[0]
    'first'
    >>> trace.gives(1, 7); trace.takes(2, 7)
    >>> check, thread, moment = trace.access(2, 40, write=True, held=frozenset())
    >>> check, trace.lockset(thread, moment)
    ('two threads', ([7], [1, 2]))
    >>> trace.access(1, 40, write=False, held=frozenset())[0]
    'race'
    """

    def __init__(self, kind_of: Callable[[int], int] = lambda resource: resource) -> None:
        """Create an analysis; `kind_of` maps a resource to its kind.

        The fewer kinds there are, the faster the analysis is.
        """
        self._now = 0
        self._kind_of = kind_of
        self._kinds: dict[int, _Column] = {}
        self._threads: dict[int, _Column] = {}
        self._direct: dict[int, _Column] = {}  # for each thread, when others last synchronized with it directly
        self._starters: dict[int, _Column] = {}  # maps each thread to its starter and the moment of the start
        self._resources: dict[int, _Resource] = {}
        self._changed: dict[int, _Resource] = {}  # resources whose columns are not yet merged into their kinds' columns
        self._variables: dict[int, _Variable] = {}

    def gives(self, thread: int, resource: int) -> None:
        """Record a giving step by the thread on the resource, such as releasing a lock."""
        known = self._thread(thread)
        given = self._resources.get(resource) or self._resource(resource, thread)
        if given.known_to == thread:
            given.column = known.copy()
        else:
            given.known_to = _NO_THREAD
            _merge(given.column, known)
        given.column[thread] = given.givers[thread] = self._now
        self._changed[resource] = given
        self._now += 1

    def takes(self, thread: int, resource: int) -> None:
        """Record a taking step by the thread on the resource, such as acquiring a lock."""
        given = self._resources.get(resource)
        if given is not None and given.known_to != thread:
            _merge(self._thread(thread), given.column)
            _merge(self._direct[thread], given.givers)
            given.known_to = thread

    def starts(self, thread: int, other: int) -> None:
        """Record that the thread starts another thread."""
        self._pass_on(thread, other)
        self._starters.setdefault(other, {})[thread] = self._now
        self._now += 1

    def joins(self, thread: int, other: int) -> None:
        """Record that the thread has joined another thread."""
        self._pass_on(other, thread)
        if other in self._starters:  # the joined thread's starter now counts as directly synchronized with this thread
            _merge(self._direct[thread], self._starters[other])
        self._now += 1

    def _pass_on(self, thread: int, other: int) -> None:
        known = self._thread(thread)
        _merge(self._thread(other), known)
        self._threads[other][thread] = self._direct[other][thread] = self._now

    def access(self, thread: int, variable: int, *, write: bool, held: frozenset[int]) -> Verdict:
        """Record an access by a thread that holds the locks `held`; return the verdict on the access."""
        now = self._now
        self._now = now + 1
        before = self._variables.get(variable)
        if before is None:
            before = self._variables[variable] = _Variable()
        writes, reads = before.writes, before.reads
        verdict = self._decide(thread, held, writes, _NOTHING_BEFORE)
        if not write:
            reads[thread] = (now, held)
            return verdict
        if reads:
            verdict = self._decide(thread, held, reads, verdict)
            before.reads = {}
        before.writes = {thread: (now, held)}
        return verdict

    def forget(self, variables: Iterable[int], resources: Iterable[int]) -> None:
        """Drop variables and resources that no later step uses, but keep the columns of the resources' kinds."""
        for variable in variables:
            self._variables.pop(variable, None)
        for resource in resources:
            given = self._resources.pop(resource, None)
            if given is not None:
                self._changed.pop(resource, None)
                _merge(given.kind, given.column)

    def _decide(self, thread: int, held: frozenset[int], conflicting: dict[int, _Access], verdict: Verdict) -> Verdict:
        # Deciding whether the access is a race takes one lookup here, so this check comes before the cheap ones.
        # Moreover, the cheap checks are not reliable on their own, because a lock may be released by a thread that does
        # not hold it.
        known, direct = self._thread(thread), self._direct[thread]
        for other, (moment, locks) in conflicting.items():
            if thread == other:
                check = SAME_THREAD
            elif known.get(other, _NEVER) < moment:
                check = RACE
            elif verdict[0] is RACE:
                continue
            elif not locks.isdisjoint(held):
                check = SAME_LOCK
            elif direct.get(other, _NEVER) >= moment:
                check = TWO_THREADS
            else:
                check = LOCKSET
            if check is verdict[0]:
                is_decisive = moment > verdict[2]
            else:
                is_decisive = _COST[check] > _COST[verdict[0]]
            if is_decisive:
                verdict = (check, other, moment)
        return verdict

    def lockset(self, thread: int, moment: int) -> tuple[list[int], list[int]]:
        """Return the kinds of resources and the threads in the current lockset of an access."""
        for resource in self._changed.values():
            _merge(resource.kind, resource.column)
        self._changed.clear()
        kinds = [kind for kind, column in self._kinds.items() if column.get(thread, _NEVER) >= moment]
        threads = [number for number, column in self._threads.items() if column.get(thread, _NEVER) >= moment]
        if thread not in threads:
            threads.append(thread)
        return kinds, sorted(threads)

    def _thread(self, thread: int) -> _Column:
        column = self._threads.get(thread)
        if column is None:
            column = self._threads[thread] = {}
            self._direct[thread] = {}
        return column

    def _resource(self, number: int, thread: int) -> _Resource:
        kind = self._kinds.setdefault(self._kind_of(number), {})
        resource = self._resources[number] = _Resource(kind, thread)
        return resource


class _Resource:
    """The giving steps on one resource so far."""

    __slots__ = ("column", "givers", "kind", "known_to")

    def __init__(self, kind: _Column, thread: int) -> None:
        self.column: _Column = {}
        self.givers: _Column = {}  # maps each thread to the moment of its last giving step
        self.kind = kind  # the column that all resources of this kind share
        self.known_to = thread  # a thread that already has everything in the column, so no merge is needed


class _Variable:
    """The earlier accesses to one variable with which a new access may conflict."""

    __slots__ = ("reads", "writes")

    def __init__(self) -> None:
        self.writes: dict[int, _Access] = {}  # the last write, with its thread as the key; empty if there is none
        self.reads: dict[int, _Access] = {}  # maps each thread to its last read since the last write


def _merge(column: _Column, other: _Column) -> None:
    get = column.get
    for thread, moment in other.items():
        if moment > get(thread, _NEVER):
            column[thread] = moment
