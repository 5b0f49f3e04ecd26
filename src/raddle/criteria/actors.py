"""Actors in requirements: numbers while an execution runs, abstract threads once the actors are settled.

A criterion that names threads tracks them with `Actors`. It adds keys that contain `Actor(number)` to `Pending`.
`Pending.collect` returns the keys whose actors are settled:

>>> from raddle.entities import make_entities
>>> entities = make_entities(actors=["main", "worker"])
>>> actors, pending = Actors(), Pending()
>>> actors.begin(); pending.begin(entities)                    # in begin(entities)
>>> actors.turn(7, 1)                                      # in feed, at a step (7, "begin", 1, 0) or (7, "task", 1, 0)
>>> pending.add((70001, 70002, Actor(actors.at(7))))       # in feed, where something was covered
>>> pending.collect(final=False)                           # in collect: the identity of actor 1 can still change
set()
>>> {str(key[2])[:7] for key in pending.collect(final=True)}
{'worker#'}
"""

from __future__ import annotations

from typing import Any, NamedTuple

from raddle.entities import AbstractThread, Entities
from raddle.tally import Key


class Actor(NamedTuple):
    """A placeholder for an actor's abstract thread, at any nesting level of a key."""

    number: int


class Actors(dict[int, int]):
    """Maps each thread to its current actor, which changes at `begin` and `task` steps.

    This class is a dict so that loops can use `actors[thread]`. A thread without a recorded `begin` step, such as the
    first thread, is the actor with the same number.

    >>> actors = Actors()
    >>> actors.turn(1, 5)
    >>> actors.at(0), actors.at(1), actors[1]
    (0, 5, 5)
    """

    def __missing__(self, thread: int) -> int:
        return thread

    def begin(self) -> None:
        """Start a new execution."""
        self.clear()

    def at(self, thread: int) -> int:
        """Return the current actor of a thread."""
        return self[thread]

    def turn(self, thread: int, actor: int) -> None:
        """Record that the thread began, or started a task, as this actor."""
        self[thread] = actor


class Pending:
    """Covered keys of the current execution that have not been reported yet.

    Each key is reported only once per execution, even if it was added several times or for different actors. So after
    `collect`, a criterion can forget the keys that it has added.
    """

    def __init__(self) -> None:
        self.begin(Entities())

    def begin(self, entities: Entities) -> None:
        """Start a new execution."""
        self._entities = entities
        self._keys: set[Key] = set()
        self._reported: set[Key] = set()

    def add(self, key: Key) -> None:
        """Add a covered key, which may contain `Actor` placeholders.

        `collect` turns frozensets in the key into tuples.
        """
        self._keys.add(key)

    def report_new(self, keys: set[Key]) -> set[Key]:
        """Return the keys that have not been reported yet; no key may contain `Actor`."""
        found = keys - self._reported if self._reported else keys
        self._reported |= found
        return found

    def collect(self, *, final: bool) -> set[Key]:
        """Return the new keys whose actors are settled, or all new keys if `final`; keep the rest for the next call."""
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
    """Maps actors to abstract threads; raises `UnsettledError` for an actor whose identity may still change.

    If `final`, the execution has ended and every actor is settled.
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
    """Raised for an actor whose identity may still change."""


def _named(key: Key, names: ActorNames) -> Key | None:
    """Return the key with each actor replaced by its abstract thread; None if an actor is not settled."""
    try:
        return tuple([_named_part(part, names) for part in key])
    except UnsettledError:
        return None


def _named_part(part: Any, names: ActorNames) -> Any:
    kind = type(part)
    if kind is Actor:
        return names[part[0]]
    if kind is tuple:  # named tuples are abstract entities, which contain no actors
        return tuple([_named_part(inner, names) for inner in part])
    if kind is frozenset:
        return tuple(sorted({_named_part(inner, names) for inner in part}))
    return part
