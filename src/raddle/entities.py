"""The cast of an execution: its variables, resources and threads, by number, and what they are in every execution.

Numbers are given on first sight and mean something within one execution only. What is stored is abstract, after
Křena, Letko and Vojnar (section 4): an object is its type and the place where it was created, constructors
left out; a thread is its type and a digest of the first methods that it ran.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

METHODS = 20  # that tell threads apart; the paper's n


class AbstractVariable(NamedTuple):
    """A variable, the same in every execution.

    >>> str(AbstractVariable("log.py:AppenderSkeleton", "app.py:12", "th"))
    'AppenderSkeleton.th'
    >>> str(AbstractVariable("log.py:AppenderSkeleton", "app.py:13", "th", "log.py:FileAppender"))
    'FileAppender.th'
    """

    owner: str  # "log.py:AppenderSkeleton" for a class, "log.py" for a module, "log.py:f" for a function's cells
    created: str  # where its object was made, "" if that is unknown
    name: str  # "th"; "items[]" for the content of the container that the attribute holds
    type: str = ""  # the class of its object, if the owner is a base class of that

    def __str__(self) -> str:
        return _dotted(self.type or self.owner, self.name)

    @property
    def declared(self) -> str:
        """The variable of all classes that inherit it: warnings are about code, which these have in common.

        >>> AbstractVariable("log.py:AppenderSkeleton", "app.py:13", "th", "log.py:FileAppender").declared
        'AppenderSkeleton.th'
        """
        return _dotted(self.owner, self.name)

    @property
    def owner_description(self) -> str:
        """The object, or the file, that the variable belongs to: what `str` leaves out.

        >>> AbstractVariable("log.py:Appender", "app.py:12", "th").owner_description
        'the Appender made at app.py:12'
        >>> AbstractVariable("log.py", "", "level").owner_description
        'of log.py'
        """
        file, _, name = (self.type or self.owner).partition(":")
        cls = name.rpartition(".")[2]
        if self.created:
            return f"the {cls or file} made at {self.created}"
        return f"a {cls} of {file}" if cls else f"of {file}"


def _dotted(owner: str, name: str) -> str:
    cls = owner.rpartition(":")[2].rpartition(".")[2]
    return f"{cls}.{name}" if cls and ":" in owner else name


class AbstractObject(NamedTuple):
    """A lock or another resource, the same in every execution.

    >>> str(AbstractObject("Lock", "app.py:12"))
    'the Lock made at app.py:12'
    """

    type: str
    created: str

    def __str__(self) -> str:
        return f"the {self.type} made at {self.created}" if self.created else f"a {self.type}"


class AbstractThread(NamedTuple):
    """A thread, the same in every execution."""

    type: str  # of its object, or the function that it runs
    methods: str  # a digest

    def __str__(self) -> str:
        return f"{self.type}#{self.methods}"


class Entities:
    """Who took part in an execution.

    An actor is a thread, or one task of a thread that works for a pool: there the digest begins anew, as a
    worker is as many things as it has tasks.

    >>> entities = Entities(methods=2)
    >>> actor = entities.add_actor("worker")
    >>> for name in ("worker", "Cart.add", "Cart.total"): entities.entered(actor, name)
    >>> entities.thread(actor) == entities.thread(entities.add_actor("worker"))
    False
    """

    def __init__(self, *, methods: int = METHODS, letter: str = "T") -> None:
        self._most = methods
        self.letter = letter  # of the labels of participants; see `raddle.labels`
        self.variables: list[AbstractVariable] = []
        self.groups: list[int] = []  # by variable: the number of the object that it is a part of
        self.iterators: set[int] = set()  # numbers of objects, as in `groups`, that are iterators or generators
        self.resources: list[AbstractObject] = []
        self.functions: dict[int, str] = {}  # by site of an enter or leave step: "shop/cart.py:Cart.add"; methods only
        self.classes: dict[int, str] = {}  # by target of an enter step: the object's class, "shop/cart.py:Cart"
        self._types: list[str] = []
        self._methods: list[list[str]] = []
        self._threads: dict[int, AbstractThread] = {}  # as long as nothing changes them
        self._ended: set[int] = set()

    def add_variable(self, variable: AbstractVariable, group: int) -> int:
        """Its number."""
        self.variables.append(variable)
        self.groups.append(group)
        return len(self.variables) - 1

    def set_variable(self, number: int, variable: AbstractVariable, group: int) -> None:
        """A variable that was given its number already: the next one, or that of one that is no more."""
        if number == len(self.variables):
            self.add_variable(variable, group)
        else:
            self.iterators.discard(self.groups[number])
            self.variables[number], self.groups[number] = variable, group

    def add_resource(self, resource: AbstractObject) -> int:
        """Its number."""
        self.resources.append(resource)
        return len(self.resources) - 1

    def add_actor(self, kind: str) -> int:
        """Its number; 0 is the first thread of the execution."""
        self._types.append(kind)
        self._methods.append([])
        return len(self._types) - 1

    def entered(self, actor: int, function: str) -> None:
        """The actor runs a method."""
        methods = self._methods[actor]
        if len(methods) < self._most:
            methods.append(function)
            self._threads.pop(actor, None)

    def ended(self, actor: int) -> None:
        """The actor runs no more methods."""
        self._ended.add(actor)

    def is_settled(self, actor: int) -> bool:
        """Can nothing change any more in what the actor is taken for?"""
        return actor in self._ended or len(self._methods[actor]) >= self._most

    def thread(self, actor: int) -> AbstractThread:
        """What the actor is taken for, by what it has done so far."""
        known = self._threads.get(actor)
        if known is None:
            known = self._threads[actor] = _abstract_thread(self._types[actor], tuple(self._methods[actor]))
        return known

    @property
    def actors(self) -> int:
        """How many there are."""
        return len(self._types)

    def abstract(self) -> tuple[object, ...]:
        """Everything that is the same in another execution that did the same."""
        threads = tuple((kind, *methods) for kind, methods in zip(self._types, self._methods, strict=True))
        return (tuple(self.variables), tuple(self.groups), tuple(self.resources), threads)


@lru_cache(maxsize=4096)  # the same threads come in execution after execution
def _abstract_thread(kind: str, methods: tuple[str, ...]) -> AbstractThread:
    return AbstractThread(kind, blake2b("\n".join(methods).encode(), digest_size=3).hexdigest())


def make_entities(
    *,
    variables: Sequence[AbstractVariable] = (),
    resources: Sequence[AbstractObject] = (),
    actors: Sequence[str] = ("main",),
) -> Entities:
    """A cast written by hand, for traces written by hand; all variables belong to one object.

    >>> make_entities(variables=[AbstractVariable("m.py:C", "", "x")]).variables[0].name
    'x'
    """
    entities = Entities()
    for variable in variables:
        entities.add_variable(variable, 1)
    for resource in resources:
        entities.add_resource(resource)
    for actor in actors:
        entities.add_actor(actor)
    return entities
