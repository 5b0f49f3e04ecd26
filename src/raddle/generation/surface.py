"""The surface of a class: the constructors, methods and parameters that a generated test may use."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from raddle.generation.expressions import Imported


class MethodKind(StrEnum):
    """How a test calls a method."""

    METHOD = "method"  # shared.name(...)
    OPERATOR = "operator"  # a special method, written as an operator or a built-in function: len(shared), shared[key]
    PROPERTY = "property"  # shared.name
    ASSIGNMENT = "assignment"  # shared.name = value
    CONTEXT = "context"  # with shared.name(...): pass; the name is "" for `with shared: pass`
    CONSTRUCTOR = "constructor"  # Class(...), or a class method that returns an instance
    STATIC = "static"  # Class.name(...): a static method or a class method
    FUNCTION = "function"  # a function of the module that accepts the shared object
    CALLBACK = "callback"  # what the callback with this name has received; only as an observer

    @property
    def has_receiver(self) -> bool:
        """Whether such a call is made on an object of the test."""
        return self not in (MethodKind.CONSTRUCTOR, MethodKind.STATIC, MethodKind.FUNCTION, MethodKind.CALLBACK)


class Sharing(StrEnum):
    """Why a class looks as if it was meant to be shared between threads."""

    HAS_LOCK = "has a lock"
    MENTIONS_THREADS = "mentions threads"
    USED_FROM_THREADS = "is used from threads"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a method, without `self`."""

    name: str
    kind: inspect._ParameterKind
    hint: Any = inspect.Parameter.empty  # the resolved type hint, or `inspect.Parameter.empty`
    default: Any = inspect.Parameter.empty

    @property
    def required(self) -> bool:
        """Whether a call must pass an argument."""
        variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        return self.default is inspect.Parameter.empty and self.kind not in variadic


@dataclass(frozen=True, slots=True)
class Method:
    """A callable that tests may use. Its identity is its kind, owner and name."""

    name: str
    kind: MethodKind
    owner: Imported  # the class, or the function itself if the kind is FUNCTION
    parameters: tuple[Parameter, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Method) and (self.name, self.kind, self.owner) == (other.name, other.kind, other.owner)

    def __hash__(self) -> int:
        return hash((self.name, self.kind, self.owner))

    def __str__(self) -> str:
        if self.kind is MethodKind.ASSIGNMENT:
            return f"set {self.name}"
        if self.kind is MethodKind.CONTEXT and not self.name:
            return "__enter__"  # the name of the class is the text of its constructor
        return self.owner.name if self.kind is MethodKind.FUNCTION or not self.name else self.name


@dataclass(frozen=True, slots=True)
class Surface:
    """Everything that tests of a class may call."""

    cls: Imported
    constructors: tuple[Method, ...]
    methods: tuple[Method, ...]
    sharing: frozenset[Sharing] = frozenset()
