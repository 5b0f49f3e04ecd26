"""The entities of an execution: its variables, resources and threads, with their numbers and abstract names.

An entity gets a number when it is first seen. Numbers are valid only within one execution, so data files store abstract
names, following Křena, Letko and Vojnar (section 4). An object is identified by its type and the place where it was
created; a place inside a constructor is replaced by the place that calls the constructor. A thread is identified by its
type and a digest of the first methods that it ran.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

METHODS = 20  # default for n in the paper: the first n methods that a thread runs identify it


class AbstractVariable(NamedTuple):
    """The name of a variable, the same in every execution.

    >>> str(AbstractVariable("log.py:AppenderSkeleton", "app.py:12", "th"))
    'AppenderSkeleton.th'
    >>> str(AbstractVariable("log.py:AppenderSkeleton", "app.py:13", "th", "log.py:FileAppender"))
    'FileAppender.th'
    """

    owner: str  # "log.py:AppenderSkeleton" for a class, "log.py" for a module, "log.py:f" for a function's cells
    created: str  # where the variable's object was created; "" if that is unknown
    name: str  # such as "th"; "items[]" for the content of the container in the attribute `items`
    type: str = ""  # the class of the variable's object, if `owner` is a base class of that class

    def __str__(self) -> str:
        return _dotted(self.type or self.owner, self.name)

    @property
    def declared(self) -> str:
        """The name of the variable, qualified by the class that declares the variable.

        Warnings use this name, because subclasses share the code of that class.

        >>> AbstractVariable("log.py:AppenderSkeleton", "app.py:13", "th", "log.py:FileAppender").declared
        'AppenderSkeleton.th'
        """
        return _dotted(self.owner, self.name)

    @property
    def object_type(self) -> str:
        """The class of the variable's object, or the module or function that the variable belongs to.

        >>> AbstractVariable("log.py:AppenderSkeleton", "app.py:13", "th", "log.py:FileAppender").object_type
        'log.py:FileAppender'
        """
        return self.type or self.owner

    @property
    def owner_description(self) -> str:
        """The object or file that the variable belongs to; `str` omits it.

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
    """The name of a lock or another resource, the same in every execution.

    >>> str(AbstractObject("Lock", "app.py:12"))
    'the Lock made at app.py:12'
    """

    type: str
    created: str  # where the resource was created, "" if that is unknown

    def __str__(self) -> str:
        return f"the {self.type} made at {self.created}" if self.created else f"a {self.type}"


class AbstractThread(NamedTuple):
    """The name of a thread, the same in every execution."""

    type: str  # the class of the thread object, or the function that the thread runs
    methods: str  # a digest of the first methods that the thread ran

    def __str__(self) -> str:
        return f"{self.type}#{self.methods}"


class Entities:
    """The variables, resources and actors of one execution.

    An actor is a thread, or one task of a worker thread in a pool. Each task has its own digest of methods, because a
    worker has a different role in each task.

    >>> entities = Entities(methods=2)
    >>> actor = entities.add_actor("worker")
    >>> for name in ("worker", "Cart.add", "Cart.total"): entities.entered(actor, name)
    >>> entities.thread(actor) == entities.thread(entities.add_actor("worker"))
    False
    """

    def __init__(self, *, methods: int = METHODS, letter: str = "T") -> None:
        self._max_methods = methods
        self.letter = letter  # first letter of the labels of participants; see `raddle.labels`
        self.variables: list[AbstractVariable] = []
        self.groups: list[int] = []  # maps a variable to the number of the object that it is part of
        self.iterators: set[int] = set()  # numbers, as in `groups`, of objects that are iterators or generators
        self.resources: list[AbstractObject] = []
        # Maps the site of an enter or leave step to its method: "shop/cart.py:Cart.add".
        self.functions: dict[int, str] = {}
        self.elements: Sequence[tuple[Any, ...]] = ()  # elements of a parallel control flow graph, as keys
        self.classes: dict[int, str] = {}  # maps the target of an enter step to its class: "shop/cart.py:Cart"
        self._types: list[str] = []
        self._methods: list[list[str]] = []
        # Cache of abstract threads, by actor. An entry is dropped when its actor runs another method.
        self._threads: dict[int, AbstractThread] = {}
        self._ended: set[int] = set()

    def add_variable(self, variable: AbstractVariable, group: int) -> int:
        """Add a variable of the object `group` and return the variable's number."""
        self.variables.append(variable)
        self.groups.append(group)
        return len(self.variables) - 1

    def set_variable(self, number: int, variable: AbstractVariable, group: int) -> None:
        """Add a variable under the next number, or reuse the number of a garbage-collected variable."""
        if number == len(self.variables):
            self.add_variable(variable, group)
        else:
            self.iterators.discard(self.groups[number])
            self.variables[number], self.groups[number] = variable, group

    def add_resource(self, resource: AbstractObject) -> int:
        """Add a resource and return its number."""
        self.resources.append(resource)
        return len(self.resources) - 1

    def add_actor(self, kind: str) -> int:
        """Add an actor of this type and return its number; 0 is the first thread of the execution."""
        self._types.append(kind)
        self._methods.append([])
        return len(self._types) - 1

    def entered(self, actor: int, function: str) -> None:
        """Record that the actor runs a method."""
        methods = self._methods[actor]
        if len(methods) < self._max_methods:
            methods.append(function)
            self._threads.pop(actor, None)

    def ended(self, actor: int) -> None:
        """Record that the actor will run no more methods."""
        self._ended.add(actor)

    def is_settled(self, actor: int) -> bool:
        """Return whether the actor's abstract thread is final: no further method can change it."""
        return actor in self._ended or len(self._methods[actor]) >= self._max_methods

    def thread(self, actor: int) -> AbstractThread:
        """Return the abstract thread of the actor, based on the methods it has run so far."""
        known = self._threads.get(actor)
        if known is None:
            known = self._threads[actor] = _abstract_thread(self._types[actor], tuple(self._methods[actor]))
        return known

    @property
    def actors(self) -> int:
        """The number of actors."""
        return len(self._types)

    def abstract(self) -> tuple[object, ...]:
        """Return the data that is equal in any two executions with the same behavior."""
        threads = tuple((kind, *methods) for kind, methods in zip(self._types, self._methods, strict=True))
        return (tuple(self.variables), tuple(self.groups), tuple(self.resources), threads)


@lru_cache(maxsize=4096)  # cached, because most executions have the same threads
def _abstract_thread(kind: str, methods: tuple[str, ...]) -> AbstractThread:
    return AbstractThread(kind, blake2b("\n".join(methods).encode(), digest_size=3).hexdigest())


def make_entities(
    *,
    variables: Sequence[AbstractVariable] = (),
    resources: Sequence[AbstractObject] = (),
    actors: Sequence[str] = ("main",),
) -> Entities:
    """Return entities for a handwritten trace. All variables belong to one object.

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
