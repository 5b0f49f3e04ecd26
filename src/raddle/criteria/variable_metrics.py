"""What the metrics of Křena, Letko and Vojnar about variables have in common.

Each metric has a plain and a starred form, which also names the variable, where the plain one does not, and
the threads. Both watch in the same way. While an execution runs they take notes: numbers and words that mean the
same in every execution, in groups by the numbers that do not (variables, resources, actors). What these stand
for is looked up at `collect`, once for each group.
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
Note = Any  # numbers of sites and words, or one number that stands for them: see `_key`
Notes = defaultdict[Group, set[Note]]

_VERBS = {"read": "reads", "write": "writes", "delete": "deletes"}


class VariableMetric(Criterion):
    """Keeps what was noted until it is asked for."""

    family = "Křena et al."
    paper = (
        "Křena, Letko, Vojnar: Coverage Metrics for Saturation-Based and Search-Based Testing of Concurrent Software"
    )
    cost = LINEAR
    starred: ClassVar[bool] = False

    def __init__(self) -> None:
        self._actors = Actors()
        self._noted = Noted()
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
        for group, notes in self._noted.taken().items():
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
        """What the numbers of a group stand for."""

    def _key(self, note: Note, named: Key) -> Key:
        """The requirement, in the order of the paper."""
        return (*note, *named)


class Noted:
    """What was noted, variable by variable, until the variable is shared; from then on all together.

    Only what is about variables that two threads touched counts, but all of that, from the beginning.

    >>> noted = Noted()
    >>> noted.about(40, 1)[()].add(("thread 1 was here",))
    >>> noted.taken()
    {}
    >>> noted.about(40, 2)[()].add(("thread 2, too",))
    >>> sorted(noted.taken()[()])
    [('thread 1 was here',), ('thread 2, too',)]
    """

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """An execution begins."""
        self.shared: Notes = defaultdict(set)
        self._by_variable: dict[int, Notes] = {}
        self._first: dict[int, int] = {}  # by variable that is not shared: its thread

    def about(self, variable: int, thread: int) -> Notes:
        """Where to note what this thread did with the variable."""
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
        """Nobody will come to these any more, so those that were not shared never will be."""
        for variable in variables:
            self._by_variable.pop(variable, None)
            self._first.pop(variable, None)

    def taken(self) -> dict[Group, set[Note]]:
        """What is noted about shared variables, which is forgotten by this."""
        notes = dict(self.shared)
        self.shared.clear()
        return notes


def describe_access(number: int, sites: Mapping[int, Site], *, variable: Any = None) -> str:
    """What happened at a site, and where.

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
    if variable is None and site is not None and site.kind == "call":  # of a container's method
        verb = "calls"
    return f"{verb} {f'`{name}`' if name else 'a variable'} {where(number, sites)}"


def describe_repeated_access(number: int, sites: Mapping[int, Site]) -> str:
    """The same, of a variable that was named before.

    >>> describe_repeated_access(70001, {70001: Site("log.py", 4, 0, "write", "th", "f", switchable=False)})
    'writes it at log.py:4'
    """
    site = sites.get(number)
    verb = _VERBS.get(site.kind, "accesses") if site is not None else "accesses"
    return f"{verb} it {where(number, sites)}"


def describe_thread(letter: str, thread: Any = None) -> str:
    """A thread, by a letter and, where that is known, by what it is.

    >>> describe_thread("A"), describe_thread("B", ("worker", "a1b2c3"))
    ('thread A', 'thread B (worker#a1b2c3)')
    """
    return f"thread {letter}" if thread is None else f"thread {letter} ({AbstractThread(*thread)})"


def describe_locks(locks: Iterable[Any]) -> str:
    """Some locks, or none.

    >>> describe_locks([("Lock", "app.py:3"), ("RLock", "")])
    'the Lock made at app.py:3 and a RLock'
    >>> describe_locks([])
    'no common lock'
    """
    return " and ".join(str(AbstractObject(*lock)) for lock in locks) or "no common lock"
