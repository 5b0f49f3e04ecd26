"""The registry: while the program runs, it assigns numbers to the entities that steps refer to.

Criteria read `entities`. Only a flush writes to it: `publish` adds the entities numbered since the last flush.
"""

from __future__ import annotations

import _thread
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from raddle.entities import METHODS, AbstractObject, AbstractVariable, Entities
from raddle.inspection import name_of
from raddle.native.ids.names import Unnamed, VariableNames
from raddle.operation import ACCESSES, CONTENT
from raddle.step import Step


@dataclass(slots=True, eq=False)
class Actor:
    """A thread, or one task of a thread pool."""

    number: int
    kind: str
    methods: list[str] = field(default_factory=list)  # names of the first methods that the actor ran
    ended: bool = False
    published: int = 0  # number of items of `methods` already added to `entities`


class OwnedVariables:
    """The variables of one object, stored in the entry of the object and discarded with it."""

    __slots__ = ("_discarded", "_group", "_numbers")

    def __init__(self, discarded: list[OwnedVariables.Discarded], group: int) -> None:
        self._discarded = discarded
        self._group = group
        self._numbers: list[int] = []

    # The number of the discarded object (0 for a container whose holder still lives), and the numbers of its variables.
    Discarded = tuple[int, list[int]]

    def add(self, number: int) -> None:
        self._numbers.append(number)

    def __del__(self) -> None:
        self._discarded.append((self._group, self._numbers))  # read at the next flush


class EntityRegistry:
    """Assigns numbers to entities. Its lock is held only briefly, and no program code runs while it is held."""

    def __init__(self, names: VariableNames, *, methods: int = METHODS) -> None:
        self.names = names
        self.max_methods = methods
        self.begin()

    def begin(self) -> None:
        """Reset all numbers for a new execution."""
        self.lock = _thread.allocate_lock()
        self.entities = Entities(methods=self.max_methods)
        self._variables: list[tuple[int, Unnamed, int]] = []  # variables not published yet
        # For containers without a known holder: maps the number of the content to the type of the container and the
        # rank of the content's name.
        self._contents: dict[int, tuple[type, tuple[bool, bool, int]]] = {}
        self._discarded: list[OwnedVariables.Discarded] = []
        self.discarded_resources: list[int] = []
        self._free: list[int] = []  # numbers for reuse: the sink never received a step on these variables
        self._soon_free: list[int] = []  # numbers that become free at the next call to `retire`
        self._receivers: list[tuple[int, type]] = []
        self._iterators: list[int] = []
        self._resources: list[AbstractObject] = []
        self._actors: list[Actor] = []  # actors that are not completely published
        self.variables = self.resources = self.actors = self.groups = 0

    def owned(self, group: int = 0) -> OwnedVariables:
        """Create an empty collection for the variables of an object. It is stored in the object's entry."""
        return OwnedVariables(self._discarded, group)

    def variable(self, unnamed: Unnamed, group: int, owned: OwnedVariables) -> int:
        """Assign a number to a variable; the lock must be held."""
        if self._free:
            number = self._free.pop()
        else:
            number = self.variables
            self.variables += 1
        owned.add(number)
        self._variables.append((number, unnamed, group))
        return number

    def group(self) -> int:
        """Assign a number other than 0 to an object; the lock must be held."""
        self.groups += 1
        return self.groups

    def receiver(self, group: int, cls: type) -> None:
        """Record that a method of an object was entered; the lock must be held."""
        self._receivers.append((group, cls))

    def iterator(self, group: int) -> None:
        """Record that an object is an iterator; the lock must be held."""
        self._iterators.append(group)

    def resource(self, abstract: AbstractObject) -> int:
        """Assign a number to a resource; the lock must be held."""
        self._resources.append(abstract)
        self.resources += 1
        return self.resources - 1

    def actor(self, kind: str) -> Actor:
        """Create an actor. Its kind and the methods that it runs distinguish it from other actors."""
        with self.lock:
            actor = Actor(self.actors, kind)
            self._actors.append(actor)
            self.actors += 1
            return actor

    def take_discarded(self) -> list[OwnedVariables.Discarded]:
        """Return the objects discarded since the last call. All steps on them have been recorded."""
        count = len(self._discarded)
        discarded = self._discarded[:count]
        del self._discarded[:count]
        return discarded

    def take_discarded_resources(self) -> list[int]:
        """Return the numbers of resources garbage-collected since the last call."""
        count = len(self.discarded_resources)
        discarded = self.discarded_resources[:count]
        del self.discarded_resources[:count]
        return discarded

    def retire(self, discarded: Iterable[OwnedVariables.Discarded], unreported: Collection[int]) -> None:
        """Forget discarded objects, and free the numbers of `unreported` variables for reuse.

        The numbers become free only at the next call, because a thread may have looked up a number without having
        recorded its step yet.
        """
        for group, numbers in discarded:
            self.entities.classes.pop(group, None)
            for number in numbers:
                self._contents.pop(number, None)
        with self.lock:
            self._free += self._soon_free
            self._soon_free = list(unreported)

    def publish(self) -> None:
        """Add to `entities` everything numbered since the last call."""
        self.names.model()
        self.entities.functions = self.names.methods
        with self.lock:
            variables, self._variables = self._variables, []
            receivers, self._receivers = self._receivers, []
            iterators, self._iterators = self._iterators, []
            resources, self._resources = self._resources, []
            actors = list(self._actors)
        for number, unnamed, group in variables:
            self._contents.pop(number, None)
            named = self.names.name(unnamed)
            self.entities.set_variable(number, named, group)
            if unnamed[0] == "content" and named.owner == name_of(unnamed[1]):
                self._contents[number] = unnamed[1], _name_rank(named, unnamed[1], unnamed[3])
        for group, cls in receivers:
            self.entities.classes[group] = self.names.owner(cls)
        self.entities.iterators.update(iterators)
        for abstract in resources:
            self.entities.add_resource(abstract)
        for actor in actors:
            self._publish_actor(actor)
        settled = {actor.number for actor in actors if self.entities.is_settled(actor.number)}
        if settled:
            with self.lock:
                self._actors = [actor for actor in self._actors if actor.number not in settled]

    def name_contents(self, steps: Sequence[Step]) -> None:
        """Give each container's content the best name that any site has provided, as in controlled executions."""
        contents = self._contents
        if not contents:
            return
        for number, site in {step[2:] for step in steps if step[2] in contents and step[1] in ACCESSES}:
            container, best = contents[number]
            named = self.names.name(("content", container, "", site))
            rank = _name_rank(named, container, site)
            if rank < best:
                contents[number] = container, rank
                self.entities.variables[number] = named

    def _publish_actor(self, actor: Actor) -> None:
        if actor.number == self.entities.actors:
            self.entities.add_actor(actor.kind)
        ended = actor.ended  # read before the methods, so that the list is complete if the actor has ended
        for method in actor.methods[actor.published :]:
            self.entities.entered(actor.number, method)
            actor.published += 1
        if ended:
            self.entities.ended(actor.number)


def _name_rank(named: AbstractVariable, container: type, site: int) -> tuple[bool, bool, int]:
    """Return the rank of the name that a site provides for the content of a container; the lowest is best.

    >>> known, written = AbstractVariable("shop.py", "", "cart[]"), AbstractVariable("list", "", "cart[]")
    >>> unknown = AbstractVariable("list", "", "list[]")
    >>> _name_rank(known, list, 70003) < _name_rank(written, list, 70002) < _name_rank(unknown, list, 70001)
    True
    """
    unnamed = name_of(container)
    return named.owner == unnamed, named.name == unnamed + CONTENT, site
