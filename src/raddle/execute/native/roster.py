"""The roster: numbers for whatever steps name, given out while the program runs.

The cast, which criteria read, is written only by whoever hands steps over: it gets there what was numbered
since the last time.
"""

from __future__ import annotations

import _thread
from dataclasses import dataclass, field

from raddle.cast import METHODS, AbstractObject, Cast
from raddle.execute.native.names import Names, Unnamed


@dataclass(slots=True, eq=False)
class Actor:
    """A thread, or one task of a pool."""

    number: int
    kind: str
    methods: list[str] = field(default_factory=list)  # the first that it ran
    ended: bool = False
    told: int = 0  # how many of the methods the cast knows


class Roster:
    """Gives out numbers. Its lock is held for a moment only, and no code of the program runs meanwhile."""

    def __init__(self, names: Names, *, methods: int = METHODS) -> None:
        self.names = names
        self.most_methods = methods
        self.begin()

    def begin(self) -> None:
        """Forget everything: an execution begins."""
        self.lock = _thread.allocate_lock()
        self.cast = Cast(methods=self.most_methods)
        self._variables: list[tuple[Unnamed, int]] = []  # those that the cast does not know yet
        self._receivers: list[tuple[int, type]] = []
        self._resources: list[AbstractObject] = []
        self._actors: list[Actor] = []  # those that the cast does not know everything about
        self.variables = self.resources = self.actors = self.groups = 0

    def variable(self, unnamed: Unnamed, group: int) -> int:
        """The number of a variable; the lock must be held."""
        self._variables.append((unnamed, group))
        self.variables += 1
        return self.variables - 1

    def group(self) -> int:
        """A number for an object, 0 is none; the lock must be held."""
        self.groups += 1
        return self.groups

    def receiver(self, group: int, cls: type) -> None:
        """An object has methods that were entered; the lock must be held."""
        self._receivers.append((group, cls))

    def resource(self, abstract: AbstractObject) -> int:
        """The number of a resource; the lock must be held."""
        self._resources.append(abstract)
        self.resources += 1
        return self.resources - 1

    def actor(self, kind: str) -> Actor:
        """Who is to be told apart from others by what it does."""
        with self.lock:
            actor = Actor(self.actors, kind)
            self._actors.append(actor)
            self.actors += 1
            return actor

    def tell(self) -> None:
        """Let the cast know."""
        self.names.model()
        self.cast.functions = self.names.methods
        with self.lock:
            variables, self._variables = self._variables, []
            receivers, self._receivers = self._receivers, []
            resources, self._resources = self._resources, []
            actors = list(self._actors)
        for unnamed, group in variables:
            self.cast.add_variable(self.names.name(unnamed), group)
        for group, cls in receivers:
            self.cast.classes[group] = self.names.owner(cls)
        for abstract in resources:
            self.cast.add_resource(abstract)
        for actor in actors:
            self._tell_actor(actor)
        settled = {actor.number for actor in actors if self.cast.settled(actor.number)}
        if settled:
            with self.lock:
                self._actors = [actor for actor in self._actors if actor.number not in settled]

    def _tell_actor(self, actor: Actor) -> None:
        if actor.number == self.cast.actors:
            self.cast.add_actor(actor.kind)
        ended = actor.ended  # looked at first: whatever it ran before its end is in the list by then
        for method in actor.methods[actor.told :]:
            self.cast.entered(actor.number, method)
            actor.told += 1
        if ended:
            self.cast.ended(actor.number)
