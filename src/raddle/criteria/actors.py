"""Actors in requirements: numbers while an execution runs, abstract threads once it is known what they are.

A criterion that names threads follows them with `Actors`, adds keys that hold `Actor(number)` to `Pending`, and
lets that say at `collect` what is settled:

>>> from raddle.entities import make_entities
>>> entities = make_entities(actors=["main", "worker"])
>>> actors, pending = Actors(), Pending()
>>> actors.begin(); pending.begin(entities)                    # in begin(entities)
>>> actors.turn(7, 1)                                      # in feed, at a step (7, "begin", 1, 0) or (7, "task", 1, 0)
>>> pending.add((70001, 70002, Actor(actors.at(7))))       # in feed, where something was covered
>>> pending.collect(final=False)                           # in collect: what actor 1 is can still change
set()
>>> {str(key[2])[:7] for key in pending.collect(final=True)}
{'worker#'}
"""

from __future__ import annotations

from typing import Any, NamedTuple

from raddle.entities import AbstractThread, Entities
from raddle.tally import Key


class Actor(NamedTuple):
    """Stands in a key, at any depth, for the abstract thread that the actor turns out to be."""

    number: int


class Actors(dict[int, int]):
    """Which actor each thread is: its own from `begin`, another one from each `task` on.

    A mapping, so that loops may ask `actors[thread]`. A thread that nobody introduced is the actor of the same
    number, as the first thread is.

    >>> actors = Actors()
    >>> actors.turn(1, 5)
    >>> actors.at(0), actors.at(1), actors[1]
    (0, 5, 5)
    """

    def __missing__(self, thread: int) -> int:
        return thread

    def begin(self) -> None:
        """An execution begins."""
        self.clear()

    def at(self, thread: int) -> int:
        """The actor that the thread is now."""
        return self[thread]

    def turn(self, thread: int, actor: int) -> None:
        """The thread began, or took up a task."""
        self[thread] = actor


class Pending:
    """Keys of the running execution that nobody was told of yet.

    A key is given out once in an execution, however often it was added, whichever actors it came from. So a
    criterion may forget at `collect` what it has added.
    """

    def __init__(self) -> None:
        self.begin(Entities())

    def begin(self, entities: Entities) -> None:
        """An execution begins."""
        self._entities = entities
        self._keys: set[Key] = set()
        self._reported: set[Key] = set()

    def add(self, key: Key) -> None:
        """It was covered. May hold `Actor`; a frozenset in it becomes a sorted tuple."""
        self._keys.add(key)

    def report_new(self, keys: set[Key]) -> set[Key]:
        """What is new of keys that were covered and hold no `Actor`."""
        found = keys - self._reported if self._reported else keys
        self._reported |= found
        return found

    def collect(self, *, final: bool) -> set[Key]:
        """What is new and, unless this is the last time, can no longer change; the rest is kept back."""
        if not self._keys:
            return set()
        names = ActorNames(self._entities, final=final)
        found: set[Key] = set()
        kept: set[Key] = set()
        for key in self._keys:
            named = _named(key, names)
            if named is None:
                kept.add(key)
            elif named not in self._reported:
                found.add(named)
        self._keys = kept
        self._reported |= found
        return found


class ActorNames(dict[int, AbstractThread]):
    """What actors are called at one moment: a mapping that raises `UnsettledError` for those that may still change.

    At the end of an execution nothing changes any more.
    """

    def __init__(self, entities: Entities, *, final: bool) -> None:
        super().__init__()
        self._entities, self._final = entities, final

    def __missing__(self, actor: int) -> AbstractThread:
        if not self._final and not self._entities.is_settled(actor):
            raise UnsettledError(actor)
        thread = self[actor] = self._entities.thread(actor)
        return thread


class UnsettledError(Exception):
    """An actor may still turn out to be another thread."""


def _named(key: Key, names: ActorNames) -> Key | None:
    """None if an actor in it is not settled."""
    try:
        return tuple([_named_part(part, names) for part in key])
    except UnsettledError:
        return None


def _named_part(part: Any, names: ActorNames) -> Any:
    kind = type(part)
    if kind is Actor:
        return names[part[0]]
    if kind is tuple:  # not the named ones: what is abstract already holds no actors
        return tuple([_named_part(inner, names) for inner in part])
    if kind is frozenset:
        return tuple(sorted({_named_part(inner, names) for inner in part}))
    return part
