"""GoldiLocks: for each access, who may touch the variable next without a race?

After Elmas, Qadeer and Tasiran (PLDI 2007), in the form that tells reads from writes. Each access has a
lockset of threads and resources. It begins with the thread itself and grows by these rules:

    a thread in it gives to a resource (release, notify, set, up, put, task-done)    add the resource
    a thread takes from a resource in it (acquire, woken, wait-set, down, get, ...)  add the thread
    a thread in it starts another                                                    add that one
    a thread joins one in it                                                         add the joining one

Java's volatile variables have no counterpart in Python; events, semaphores, conditions and queues are in their
place. An access is free of races if its thread is in the locksets of all accesses that it conflicts with: the
last write and, for a write, the last read of each thread since then. Up to the first race on a variable that is
exactly happens-before. After one, accesses before the last write are forgotten, as in the paper.

Three cheap checks come before a lockset is computed, for each of those accesses: is it the same thread's; was a
lock held there that is held here; did the one thread give straight to the other, as the synchronizations of these
two alone show? What decided is part of the answer, as some criteria ask for it.

The paper keeps a list of synchronizations and applies the rules lazily, from the last access of a variable on;
with many variables that list is long and walked often. Here they are applied at once, to all variables together:
the lockset of an earlier access of a thread contains that of a later one, so that for each thread or resource
and each accessing thread one moment says in whose locksets it is: those of all accesses until then. A rule is
then the maximum of two columns. Each synchronization costs as much as there are threads, each access as much as
there are threads that read the variable, each lockset as much as there are threads and kinds of resources,
whatever was before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

FIRST = "first"  # there is nothing before that it conflicts with
SAME_THREAD = "same thread"
SAME_LOCK = "same lock"
TWO_THREADS = "two threads"
LOCKSET = "lockset"
RACE = "race"
CHECKS = (FIRST, SAME_THREAD, SAME_LOCK, TWO_THREADS, LOCKSET, RACE)  # cheapest first; a race fails all of them

_HARDNESS = {check: number for number, check in enumerate(CHECKS)}

_Column = dict[int, int]  # by thread: the moment until which its accesses have an element in their locksets
_Access = tuple[int, frozenset[int]]  # when, and the locks held there
_NEVER = -1
_NOBODY = -1


# On an access: what decided, in comparison with which earlier access, given by its thread and moment. Of several,
# the one that was hardest to decide and, among these, the latest.
Verdict = tuple[str, int, int]

_NOTHING_BEFORE: Verdict = (FIRST, _NOBODY, _NEVER)


class Goldilocks:
    """Watches one execution.

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
        """Locksets name resources by their kinds, of which there should be few."""
        self._now = 0
        self._kind_of = kind_of
        self._kinds: dict[int, _Column] = {}
        self._threads: dict[int, _Column] = {}
        self._direct: dict[int, _Column] = {}  # as above, by what was given to the thread without others between
        self._starters: dict[int, _Column] = {}  # by thread: who started it, when
        self._resources: dict[int, _Resource] = {}
        self._changed: dict[int, _Resource] = {}  # whose kinds do not know yet what was given
        self._variables: dict[int, _Variable] = {}

    def gives(self, thread: int, resource: int) -> None:
        """The thread passes on what it knows to those who will take from the resource."""
        known = self._thread(thread)
        given = self._resources.get(resource) or self._resource(resource, thread)
        if given.known_to == thread:
            given.column = known.copy()
        else:
            given.known_to = _NOBODY
            _merge(given.column, known)
        given.column[thread] = given.givers[thread] = self._now
        self._changed[resource] = given
        self._now += 1

    def takes(self, thread: int, resource: int) -> None:
        """The thread gets to know what others gave to the resource."""
        given = self._resources.get(resource)
        if given is not None and given.known_to != thread:
            _merge(self._thread(thread), given.column)
            _merge(self._direct[thread], given.givers)
            given.known_to = thread

    def starts(self, thread: int, other: int) -> None:
        """The thread starts another one."""
        self._pass_on(thread, other)
        self._starters.setdefault(other, {})[thread] = self._now
        self._now += 1

    def joins(self, thread: int, other: int) -> None:
        """The thread saw the other one end."""
        self._pass_on(other, thread)
        if other in self._starters:  # the starter and this one have met in it, whatever it did itself
            _merge(self._direct[thread], self._starters[other])
        self._now += 1

    def _pass_on(self, thread: int, other: int) -> None:
        known = self._thread(thread)
        _merge(self._thread(other), known)
        self._threads[other][thread] = self._direct[other][thread] = self._now

    def access(self, thread: int, variable: int, *, write: bool, held: frozenset[int]) -> Verdict:
        """The thread, holding these locks, touches the variable: is it in order?"""
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
        """There will be no more steps about these. What was given to a kind of resource stays known."""
        for variable in variables:
            self._variables.pop(variable, None)
        for resource in resources:
            given = self._resources.pop(resource, None)
            if given is not None:
                self._changed.pop(resource, None)
                _merge(given.kind, given.column)

    def _decide(self, thread: int, held: frozenset[int], rivals: dict[int, _Access], verdict: Verdict) -> Verdict:
        # Whether it is a race costs one look-up here, so that comes before the checks that would spare it. They
        # could not even be trusted without it: a lock may be released by a thread that did not hold it.
        known, direct = self._thread(thread), self._direct[thread]
        for other, (moment, locks) in rivals.items():
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
                harder = moment > verdict[2]
            else:
                harder = _HARDNESS[check] > _HARDNESS[verdict[0]]
            if harder:
                verdict = (check, other, moment)
        return verdict

    def lockset(self, thread: int, moment: int) -> tuple[list[int], list[int]]:
        """The lockset of an access, as it is now: kinds of resources, and threads."""
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
    """What was given to a resource so far."""

    __slots__ = ("column", "givers", "kind", "known_to")

    def __init__(self, kind: _Column, thread: int) -> None:
        self.column: _Column = {}
        self.givers: _Column = {}  # by thread: when it last gave
        self.kind = kind  # the column of all resources of this kind together
        self.known_to = thread  # somebody who knows all that is in the column, so that nothing needs comparing


class _Variable:
    """The accesses that a new one may conflict with."""

    __slots__ = ("reads", "writes")

    def __init__(self) -> None:
        self.writes: dict[int, _Access] = {}  # by thread: the last one of all, if there is one
        self.reads: dict[int, _Access] = {}  # by thread: since then


def _merge(column: _Column, other: _Column) -> None:
    get = column.get
    for thread, moment in other.items():
        if moment > get(thread, _NEVER):
            column[thread] = moment
