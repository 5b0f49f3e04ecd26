"""The base class of the variable metrics of Křena, Letko and Vojnar.

Each metric has a plain and a starred form. The starred form also names the threads, and the variable if the plain form
does not. Both forms process steps in the same way. While an execution runs, they record notes, which consist of site
numbers and words, which mean the same in every execution. The numbers of variables, resources and actors differ between
executions, so they are not part of a note. Instead, notes are grouped by these numbers. `collect` replaces the numbers
of each group with the entities that they represent.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any, ClassVar

from raddle.criteria.actors import ActorNames, Actors, UnsettledError
from raddle.criteria.base import LINEAR, Criterion
from raddle.entities import AbstractObject, AbstractThread, AbstractVariable, Entities
from raddle.site import Site, where
from raddle.tally import Key

Group = tuple[Any, ...]  # numbers of variables, resources and actors
Note = Any  # site numbers and words, or one number that encodes them: see `_key`
Notes = defaultdict[Group, set[Note]]

_VERBS = {"read": "reads", "write": "writes", "delete": "deletes"}


class VariableMetric(Criterion):
    """A metric that records notes and turns them into requirements at `collect`."""

    family = "Křena et al."
    paper = (
        "Křena, Letko, Vojnar: Coverage Metrics for Saturation-Based and Search-Based Testing of Concurrent Software"
    )
    cost = LINEAR
    starred: ClassVar[bool] = False

    def __init__(self) -> None:
        self._actors = Actors()
        self._noted = PendingNotes()
        self.begin(Entities())

    def begin(self, entities: Entities) -> None:
        self._entities = entities
        self._actors.begin()
        self._noted.begin()
        self._reported: set[Key] = set()

    def forget(self, variables: Collection[int], resources: Collection[int]) -> None:
        self._noted.forget(variables)

    def collect(self, *, final: bool) -> set[Key]:
        names = ActorNames(self._entities, final=final)
        found: dict[Key, set[Note]] = {}
        for group, notes in self._noted.take().items():
            named = self._settled(group, names)
            if named is None:
                self._noted.shared[group] = notes
            elif named in found:
                found[named] |= notes
            else:
                found[named] = notes
        keys = {self._key(note, named) for named, notes in found.items() for note in notes}
        if self._reported:
            keys -= self._reported
        if not final:
            self._reported |= keys
        return keys

    def _settled(self, group: Group, names: ActorNames) -> Key | None:
        try:
            return self._named(group, names)
        except UnsettledError:
            return None

    @abstractmethod
    def _named(self, group: Group, names: ActorNames) -> Key:
        """Return the parts of the key that the numbers of a group represent."""

    def _key(self, note: Note, named: Key) -> Key:
        """Return the requirement, with its parts in the order of the paper."""
        return (*note, *named)


class PendingNotes:
    """The notes of an execution, kept by variable until the variable is shared.

    Notes count only if two threads accessed the variable, but then they count from the first access on.

    >>> noted = PendingNotes()
    >>> noted.about(40, 1)[()].add(("thread 1 was here",))
    >>> noted.take()
    {}
    >>> noted.about(40, 2)[()].add(("thread 2, too",))
    >>> sorted(noted.take()[()])
    [('thread 1 was here',), ('thread 2, too',)]
    """

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Start a new execution."""
        self.shared: Notes = defaultdict(set)
        self._by_variable: dict[int, Notes] = {}
        self._first: dict[int, int] = {}  # maps each unshared variable to the only thread that accessed it

    def about(self, variable: int, thread: int) -> Notes:
        """Return the collection that receives the notes about this thread's access to the variable."""
        notes = self._by_variable.get(variable)
        if notes is self.shared:
            return notes
        if notes is None:
            self._first[variable] = thread
            notes = self._by_variable[variable] = defaultdict(set)
        elif self._first[variable] != thread:
            for group, early in notes.items():
                self.shared[group] |= early
            notes = self._by_variable[variable] = self.shared
            del self._first[variable]
        return notes

    def forget(self, variables: Iterable[int]) -> None:
        """Drop the notes about variables that no later step accesses and that were never shared."""
        for variable in variables:
            self._by_variable.pop(variable, None)
            self._first.pop(variable, None)

    def take(self) -> dict[Group, set[Note]]:
        """Remove and return the notes about shared variables."""
        notes = dict(self.shared)
        self.shared.clear()
        return notes


def describe_access(number: int, sites: Mapping[int, Site], *, variable: Any = None) -> str:
    """Return a phrase for an access: verb, variable and place.

    >>> site = Site("log.py", 4, 0, "read", "th", "f", switchable=False)
    >>> describe_access(70001, {70001: site})
    'reads `th` at log.py:4'
    >>> describe_access(70001, {70001: site}, variable=("log.py:Appender", "", "th"))
    'reads `Appender.th` at log.py:4'
    >>> describe_access(0, {}, variable=("log.py:Appender", "", "th"))
    'accesses `Appender.th` in code without probes'
    """
    site = sites.get(number)
    name = str(AbstractVariable(*variable)) if variable is not None else site.name if site is not None else ""
    verb = _VERBS.get(site.kind, "accesses") if site is not None else "accesses"
    if variable is None and site is not None and site.kind == "call":  # a method of a container
        verb = "calls"
    return f"{verb} {f'`{name}`' if name else 'a variable'} {where(number, sites)}"


def describe_repeated_access(number: int, sites: Mapping[int, Site]) -> str:
    """Return a phrase for an access to a variable that the sentence has already named.

    >>> describe_repeated_access(70001, {70001: Site("log.py", 4, 0, "write", "th", "f", switchable=False)})
    'writes it at log.py:4'
    """
    site = sites.get(number)
    verb = _VERBS.get(site.kind, "accesses") if site is not None else "accesses"
    return f"{verb} it {where(number, sites)}"


def describe_thread(letter: str, thread: Any = None) -> str:
    """Return a phrase for a thread: a letter and, if known, its type and digest.

    >>> describe_thread("A"), describe_thread("B", ("worker", "a1b2c3"))
    ('thread A', 'thread B (worker#a1b2c3)')
    """
    return f"thread {letter}" if thread is None else f"thread {letter} ({AbstractThread(*thread)})"


def describe_locks(locks: Iterable[Any]) -> str:
    """Return a phrase for a set of locks, which may be empty.

    >>> describe_locks([("Lock", "app.py:3"), ("RLock", "")])
    'the Lock made at app.py:3 and a RLock'
    >>> describe_locks([])
    'no common lock'
    """
    return " and ".join(str(AbstractObject(*lock)) for lock in locks) or "no common lock"
