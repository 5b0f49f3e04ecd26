"""The base class of the synchronization metrics of Křena, Letko and Vojnar.

While an execution runs, a metric records notes: tuples of numbers and words, each stored only once. `collect` replaces
the numbers with the entities that they represent. A step in code without probes has no site and belongs to no
requirement.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from raddle.criteria.actors import Actor, Actors, Pending
from raddle.criteria.base import LINEAR, Criterion
from raddle.entities import AbstractThread, Entities
from raddle.site import Site
from raddle.tally import Key

Note = tuple[Any, ...]


class SynchronizationMetric(Criterion):
    """A metric that records notes and turns them into requirements at `collect`."""

    family = "Křena et al."
    paper = (
        "Křena, Letko, Vojnar: Coverage Metrics for Saturation-Based and Search-Based Testing of Concurrent Software"
    )
    cost = LINEAR
    by_thread: ClassVar[bool] = False  # True if requirements name threads

    def __init__(self) -> None:
        self._pending = Pending()
        self._actors = Actors()
        self._notes: set[Note] = set()
        self.begin(Entities())

    def begin(self, entities: Entities) -> None:
        self._entities = entities
        self._pending.begin(entities)
        self._actors.begin()
        self._notes.clear()
        self._final = False

    def collect(self, *, final: bool) -> set[Key]:
        self._final = final
        found: set[Key] = set()
        if final or not self.by_thread:  # no key contains an actor
            found = self._pending.report_new(set(map(self._key, self._notes)))
        else:
            for note in self._notes:
                self._pending.add(self._key(note))
        self._notes.clear()
        return found | self._pending.collect(final=final)

    def _actor(self, number: int) -> Actor | AbstractThread:
        """Return the abstract thread of an actor if it is settled, otherwise a placeholder.

        Abstract threads are used as early as possible to merge equal keys, because there can be far more actors than
        abstract threads.
        """
        if self._final or self._entities.is_settled(number):
            return self._entities.thread(number)
        return Actor(number)

    @abstractmethod
    def _key(self, note: Note) -> Key:
        """Return the requirement for a note; use `_actor` for the threads in it."""


def describe_site(number: int, sites: Mapping[int, Site]) -> str:
    """Return the file and line of a site.

    >>> describe_site(70001, {70001: Site("log.py", 4, 0, "read", "self.th", "f", switchable=False)})
    'log.py:4'
    >>> describe_site(0, {})
    'code without probes'
    """
    site = sites.get(number)
    return f"{site.at}" if site is not None else "code without probes"
