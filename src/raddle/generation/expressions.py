"""Expressions: the arguments of generated calls, as values that can be evaluated and written as source code.

An expression is evaluated again in every execution, so that executions do not share objects.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from importlib import import_module
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant whose `repr` is its source: None, a number, a string, bytes, or an empty or constant container."""

    value: Any

    # True == 1 == 1.0, but these are different literals.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and repr(self.value) == repr(other.value)

    def __hash__(self) -> int:
        return hash(repr(self.value))


@dataclass(frozen=True, slots=True)
class Imported:
    """An object that a module defines: a class, a function or a constant.

    >>> Imported("os.path", "join").load() is os.path.join
    True
    """

    module: str
    name: str  # may be dotted, for a nested class or an attribute of a class

    def load(self) -> Any:
        """Import the module and return the object."""
        return reduce(getattr, self.name.split("."), import_module(self.module))


@dataclass(frozen=True, slots=True)
class Variable:
    """The value of a variable of the test: the shared object, or the result of an earlier call."""

    name: str


@dataclass(frozen=True, slots=True)
class Container:
    """A new list, tuple, set, frozenset, deque or dictionary. The items of a dictionary alternate keys and values."""

    kind: str  # "list", "tuple", "set", "frozenset", "deque", "dict"
    items: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class New:
    """The result of calling a class or function with arguments, such as `io.BytesIO(b"abc")`."""

    function: Imported
    arguments: tuple[Expression, ...] = ()
    keywords: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True, slots=True)
class Callback:
    """A function that accepts any arguments, records each call and returns a value.

    Two callbacks with the same name in one test are the same function.
    """

    name: str
    returns: Expression = field(default_factory=lambda: Literal(None))


@dataclass(frozen=True, slots=True)
class Stub:
    """An object with the given attributes, which are often callbacks: a `types.SimpleNamespace` or a `Fake`."""

    attributes: tuple[tuple[str, Expression], ...] = ()
    hashable: bool = False  # whether the object can be a key; then it is a `Fake`


@dataclass(frozen=True, slots=True)
class TemporaryPath:
    """A path in a temporary folder that is emptied before each execution."""

    name: str


Expression: TypeAlias = Literal | Imported | Variable | Container | New | Callback | Stub | TemporaryPath


class Fake:
    """An object with the given attributes that is equal only to itself. A test that uses it defines a class like it.

    >>> Fake(port=1).port
    1
    """

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


class Values:
    """The variables of one execution of a test, and the evaluation of expressions with them.

    >>> values = Values({"items": [1]})
    >>> values.of(Container("tuple", (Variable("items"), Literal(2))))
    ([1], 2)
    """

    def __init__(self, variables: dict[str, Any] | None = None, *, folder: str = "") -> None:
        self.variables: dict[str, Any] = {} if variables is None else variables
        self.folder = folder  # the temporary folder
        self._received: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {}  # by the name of the callback
        self._callbacks: dict[str, Any] = {}

    def of(self, expression: Expression) -> Any:
        """Return the value of an expression."""
        match expression:
            case Literal(value):
                return value
            case Imported():
                return expression.load()
            case Variable(name):
                return self.variables[name]
            case Container(kind, items):
                return _contain(kind, [self.of(item) for item in items])
            case New(function, arguments, keywords):
                return function.load()(
                    *[self.of(argument) for argument in arguments], **{name: self.of(value) for name, value in keywords}
                )
            case Callback(name, returns):
                return self._callbacks.get(name) or self._callback(name, returns)
            case Stub(attributes, hashable):
                from types import SimpleNamespace

                values = {name: self.of(value) for name, value in attributes}
                return Fake(**values) if hashable else SimpleNamespace(**values)
            case TemporaryPath(name):
                return os.path.join(self.folder, name)

    def received(self, name: str) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
        """Return the arguments and keyword arguments of the calls that a callback has received, sorted.

        They are sorted because classes often notify their listeners without holding a lock, so that the order of the
        notifications says nothing.
        """
        return sorted(self._received.get(name, ()), key=repr)

    def _callback(self, name: str, returns: Expression) -> Any:
        received = self._received.setdefault(name, [])

        def callback(*arguments: Any, **keywords: Any) -> Any:
            received.append((arguments, keywords))
            return self.of(returns)

        callback.__name__ = callback.__qualname__ = name
        self._callbacks[name] = callback
        return callback


def _contain(kind: str, items: list[Any]) -> Any:
    match kind:
        case "list":
            return items
        case "tuple":
            return tuple(items)
        case "set":
            return set(items)
        case "frozenset":
            return frozenset(items)
        case "dict":
            return dict(zip(items[::2], items[1::2], strict=True))
        case _:
            from collections import deque

            return deque(items)


def parts_of(expression: Expression) -> tuple[Expression, ...]:
    """Return the expressions of which an expression is directly composed."""
    match expression:
        case Container(_, items):
            return items
        case New(_, arguments, keywords):
            return (*arguments, *(value for _, value in keywords))
        case Stub(attributes):
            return tuple(value for _, value in attributes)
        case Callback(_, returns):
            return (returns,)
    return ()


def all_parts(expression: Expression) -> Iterator[Expression]:
    """Yield an expression and all of its parts.

    >>> [part.value for part in all_parts(Container("list", (Literal(1),))) if isinstance(part, Literal)]
    [1]
    """
    yield expression
    for part in parts_of(expression):
        yield from all_parts(part)


def size(expression: Expression) -> int:
    """Return the number of parts of an expression; smaller expressions are simpler.

    >>> size(Container("list", (Literal(1), Literal(2))))
    3
    """
    match expression:
        case Container(_, items):
            return 1 + sum(map(size, items))
        case New(_, arguments, keywords):
            return 1 + sum(map(size, arguments)) + sum(size(value) for _, value in keywords)
        case Stub(attributes):
            return 1 + sum(size(value) for _, value in attributes)
        case _:
            return 1


def constructions(expression: Expression) -> int:
    """Return the number of calls that evaluating an expression makes.

    >>> constructions(Container("list", (New(Imported("io", "StringIO")), Literal(1))))
    1
    """
    match expression:
        case Container(_, items):
            return sum(map(constructions, items))
        case New(_, arguments, keywords):
            return 1 + sum(map(constructions, arguments)) + sum(constructions(value) for _, value in keywords)
        case Stub(attributes):
            return sum(constructions(value) for _, value in attributes)
        case _:
            return 0


def variables_in(expression: Expression) -> frozenset[str]:
    """Return the names of the variables in an expression.

    >>> variables_in(Container("list", (Variable("a"), Literal(1))))
    frozenset({'a'})
    """
    match expression:
        case Variable(name):
            return frozenset({name})
        case Container(_, items):
            return frozenset().union(*map(variables_in, items))
        case New(_, arguments, keywords):
            return frozenset().union(*map(variables_in, arguments), *(variables_in(value) for _, value in keywords))
        case Stub(attributes):
            return frozenset().union(*(variables_in(value) for _, value in attributes))
        case Callback(_, returns):
            return variables_in(returns)
        case _:
            return frozenset()


def renamed(expression: Expression, old: str, new: str) -> Expression:
    """Return the expression with one variable replaced by another.

    >>> renamed(Container("tuple", (Variable("a"), Literal(1))), "a", "b")
    Container(kind='tuple', items=(Variable(name='b'), Literal(value=1)))
    """

    def all_in(values: tuple[Expression, ...]) -> tuple[Expression, ...]:
        return tuple(renamed(value, old, new) for value in values)

    def named(values: tuple[tuple[str, Expression], ...]) -> tuple[tuple[str, Expression], ...]:
        return tuple((name, renamed(value, old, new)) for name, value in values)

    match expression:
        case Variable(name):
            return Variable(new) if name == old else expression
        case Container(kind, items):
            return Container(kind, all_in(items))
        case New(function, arguments, keywords):
            return New(function, all_in(arguments), named(keywords))
        case Stub(attributes, hashable):
            return Stub(named(attributes), hashable)
        case Callback(name, returns):
            return Callback(name, renamed(returns, old, new))
        case _:
            return expression
