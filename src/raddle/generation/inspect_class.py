"""Inspects a class: which constructors, methods and functions the tests of the class may call.

Inspecting a class runs no code of the class, except for the type hints that have to be evaluated.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from threading import Thread
from types import ClassMethodDescriptorType
from typing import Any

from raddle.errors import UsageError
from raddle.generation.acceptance import Acceptance, acceptance
from raddle.generation.binding import OPERATORS
from raddle.generation.class_usage import class_usage
from raddle.generation.distinct import MIXINS
from raddle.generation.expressions import Imported
from raddle.generation.package_classes import PackageClasses, attributes_of, imported
from raddle.generation.sharing import sharing_of
from raddle.generation.signatures import (
    hints_of,
    names_hinted,
    operands_of,
    package_of,
    parameters_of,
    parameters_of_class,
    parameters_of_container_method,
)
from raddle.generation.surface import Method, MethodKind, Parameter, Surface
from raddle.inspection import class_attribute, fields_of, module_of, mro, qualname_of

_CONTAINERS = ("builtins", "collections")
_CONTAINER_OPERATORS = frozenset(
    {"__len__", "__iter__", "__getitem__", "__setitem__", "__delitem__", "__contains__", "__eq__"}
)
_FACTORY_NAME = re.compile(r"(from|create|make|new|open|build|parse|load|default|instance|connect|get_instance)(_.*)?$")
_NOT_CALLED = frozenset({"__init__", "__new__", "__enter__", "__exit__"})
# Attributes that tests read if the class computes missing attributes.
_COMPUTED_ATTRIBUTES = ("a", "b")
_HELPER = contextmanager(lambda: iter(())).__code__  # the code of all context managers


def inspect_class(cls: type, *, methods: Sequence[str] = (), exclude: Sequence[str] = ()) -> Surface:
    """Return the surface of a class.

    Args:
        cls: The class under test.
        methods: Patterns such as `get*`; if there are any, only methods whose name fits one of them are called. A
            public attribute is assigned if one of them is its name.
        exclude: Patterns; methods whose name fits one of them are never called. They do not apply to constructors.

    Raises:
        UsageError: If the class cannot be imported by its name.

    >>> from collections import OrderedDict
    >>> surface = inspect_class(OrderedDict, methods=["pop*"])
    >>> [str(method) for method in surface.methods]
    ['pop', 'popitem']
    """
    owner = imported(cls)
    if owner is None:
        message = f"a test cannot import {module_of(cls)}.{qualname_of(cls)}: define the class at the top of a module"
        raise UsageError("not-importable", message)
    members = _Members(cls, owner)
    constructors = (*_constructors(cls, owner), *members.factories())
    factories = tuple(members.factories())
    callable_methods = (
        *members.methods(), *members.attributes(methods), *factories, *_functions(cls),
        *_copying_constructors(cls, constructors),
    )  # fmt: skip
    chosen = tuple(
        method for method in dict.fromkeys(callable_methods) if _is_chosen(_name_for_patterns(method), methods, exclude)
    )
    return Surface(owner, constructors, chosen, sharing_of(cls))


def _name_for_patterns(method: Method) -> str:
    return method.name if method.kind is MethodKind.ASSIGNMENT else str(method)


def _is_chosen(name: str, methods: Sequence[str], exclude: Sequence[str]) -> bool:
    if any(fnmatchcase(name, pattern) for pattern in exclude):
        return False
    return not methods or any(fnmatchcase(name, pattern) for pattern in methods)


class _Members:
    """The members of a class and of those base classes that count as part of it."""

    def __init__(self, cls: type, owner: Imported) -> None:
        self._cls = cls
        self._owner = owner

    def methods(self) -> Iterator[Method]:
        """Yield everything that a test can call on an instance, in the order of definition."""
        for name, value, base in self._members():
            method = self._method(name, value, base)
            if method is not None and method.kind is not MethodKind.CONSTRUCTOR:
                yield method
            if type(value) is property and value.fset is not None:
                yield self._setter(name, value)
        if self._is_written("__enter__") and self._is_written("__exit__"):
            yield Method("", MethodKind.CONTEXT, self._owner)
        if self._is_written("__getattr__"):
            for name in _COMPUTED_ATTRIBUTES:
                yield Method(name, MethodKind.PROPERTY, self._owner)

    def attributes(self, names: Sequence[str]) -> Iterator[Method]:
        """Yield the assignments to those attributes with these names that are public and no members of the class."""
        hints = hints_of(self._cls)
        known = {parameter.name: parameter.hint for parameter in parameters_of_class(self._cls)}
        for name in names:
            member = class_attribute(self._cls, name)
            is_plain = not callable(member) and not isinstance(member, (property, functools.cached_property))
            if name in attributes_of(self._cls) and _is_public(name) and is_plain:
                hint = hints.get(name, known.get(name, inspect.Parameter.empty))
                yield self._assignment(name, Parameter(name, inspect.Parameter.POSITIONAL_ONLY, hint))

    def _setter(self, name: str, member: property) -> Method:
        """Return the assignment to a property. Its value has the hint of the setter, or else that of the getter."""
        found = next(iter(parameters_of(member.fset, skip=1)), Parameter("value", inspect.Parameter.POSITIONAL_ONLY))
        hint = found.hint if found.hint is not inspect.Parameter.empty else hints_of(member.fget).get("return")
        return self._assignment(
            name,
            Parameter(found.name, inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.empty if hint is None else hint),
        )

    def _assignment(self, name: str, value: Parameter) -> Method:
        return Method(name, MethodKind.ASSIGNMENT, self._owner, (value,))

    def factories(self) -> Iterator[Method]:
        """Yield the class methods and static methods that return an instance."""
        for name, value, base in self._members():
            method = self._method(name, value, base)
            if method is not None and method.kind is MethodKind.CONSTRUCTOR:
                yield method

    def _members(self) -> Iterator[tuple[str, Any, type]]:
        """Yield the name, value and class of each member; overridden members are not repeated."""
        seen: set[str] = set()
        for base in mro(self._cls):
            if base is object:
                continue
            is_part = self._is_part(base)
            for name, value in list(fields_of(base).items()):
                if is_part and name not in seen and _is_public(name) and not self._is_thread_body(name):
                    yield name, value, base
                seen.add(name)

    def _is_thread_body(self, name: str) -> bool:
        """Return whether a method is what a thread runs: `start` calls it, and users do not."""
        return name == "run" and Thread in mro(self._cls)

    def _is_part(self, base: type) -> bool:
        return package_of(base) == package_of(self._cls) or module_of(base) in MIXINS or _is_container(base)

    def _is_written(self, name: str) -> bool:
        """Return whether a special method is defined by a class that counts as part of the class."""
        return any(self._is_part(base) and name in fields_of(base) for base in mro(self._cls) if base is not object)

    def _method(self, name: str, value: Any, base: type) -> Method | None:
        cls, owner = self._cls, self._owner
        inherited = base is not cls and _is_container(base)
        kind = type(value)
        if name in OPERATORS:
            is_operator = callable(value) and (not inherited or name in _CONTAINER_OPERATORS)
            return Method(name, MethodKind.OPERATOR, owner, operands_of(name, value)) if is_operator else None
        if kind is property or kind is functools.cached_property:
            return Method(name, MethodKind.PROPERTY, owner)
        if kind is classmethod or kind is staticmethod:
            if inherited or _is_container(base):
                return None
            parameters = parameters_of(value.__func__, skip=int(kind is classmethod))
            returns = _returns_instance(name, value.__func__, cls)
            return Method(name, MethodKind.CONSTRUCTOR if returns else MethodKind.STATIC, owner, parameters)
        is_called = callable(value) or inspect.ismethoddescriptor(value)
        if kind is ClassMethodDescriptorType or issubclass(kind, type) or not is_called:
            return None
        if _is_container(base) and not inspect.isfunction(value):
            return Method(name, MethodKind.METHOD, owner, parameters_of_container_method(base, name))
        if inspect.iscoroutinefunction(value) or inspect.isasyncgenfunction(value):
            return None
        how = MethodKind.CONTEXT if _is_context_manager(value) else MethodKind.METHOD
        return Method(name, how, owner, parameters_of(value, skip=1))


def _is_public(name: str) -> bool:
    return name not in _NOT_CALLED and (name in OPERATORS or not name.startswith("_"))


def _is_container(base: type) -> bool:
    return module_of(base) in _CONTAINERS and class_attribute(base, "__iter__") is not None


def _is_context_manager(function: Any) -> bool:
    """Return whether `contextlib.contextmanager` made a function."""
    return inspect.isfunction(function) and function.__code__ is _HELPER


def _returns_instance(name: str, function: Any, cls: type) -> bool:
    """Return whether a class method or static method looks like a constructor.

    Without a hint, the name decides. A constructor that returns something else fails its trial and is not used.
    """
    hint = hints_of(function).get("return", inspect.Signature.empty)
    if hint is inspect.Signature.empty:
        return _FACTORY_NAME.match(name) is not None
    return any(names_hinted(hint, base) for base in mro(cls) if base is not object)


def _constructors(cls: type, owner: Imported) -> Iterator[Method]:
    """Yield the class itself, or its concrete subclasses if it is abstract, and the functions that return one."""
    if inspect.isabstract(cls):
        for subclass in PackageClasses(package_of(cls)).subclasses(cls):
            name = imported(subclass)
            if name is not None:
                yield Method("", MethodKind.CONSTRUCTOR, name, parameters_of_class(subclass))
    else:
        yield Method("", MethodKind.CONSTRUCTOR, owner, parameters_of_class(cls))
    for function, name in _public_functions(cls):
        if names_hinted(hints_of(function).get("return"), cls):
            yield Method("", MethodKind.CONSTRUCTOR, name, parameters_of(function))


def _functions(cls: type) -> Iterator[Method]:
    """Yield the functions of the class's module that accept an instance, according to their hints."""
    for function, name in _public_functions(cls):
        parameters = parameters_of(function)
        if shared_parameter(parameters, cls) is not None:
            yield Method(name.name, MethodKind.FUNCTION, name, parameters)


def _copying_constructors(cls: type, constructors: Sequence[Method]) -> Iterator[Method]:
    """Yield the constructors that accept an instance. They read the shared object, as its methods do."""
    usage = class_usage(cls)
    for method in constructors:
        if any(acceptance(p, usage.of(method, p.name), cls) is Acceptance.YES for p in method.parameters):
            yield method


def _public_functions(cls: type) -> Iterator[tuple[Callable[..., Any], Imported]]:
    module = sys.modules[module_of(cls)]
    for name, value in list(vars(module).items()):
        if inspect.isfunction(value) and not name.startswith("_") and value.__module__ == module.__name__:
            found = imported(value)
            if found is not None and not inspect.iscoroutinefunction(value):
                yield value, found


def shared_parameter(parameters: Sequence[Parameter], cls: type) -> Parameter | None:
    """Return the parameter that accepts the shared object, according to its hint; None if there is none."""
    return next((parameter for parameter in parameters if names_hinted(parameter.hint, cls)), None)
