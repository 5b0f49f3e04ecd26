"""The classes of the package under test, which can serve as arguments."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Set
from typing import Any, TypeVar

from raddle.generation.class_source import class_source, module_source
from raddle.generation.expressions import Imported
from raddle.generation.signatures import package_of
from raddle.inspection import fields_of, module_of, mro, name_of, qualname_of

_Result = TypeVar("_Result")


class _Plain:
    """A class without attributes of its own."""


_COMMON = frozenset((*fields_of(object), *fields_of(_Plain)))  # attributes of all classes


def cached_by_identity(function: Callable[[type], _Result]) -> Callable[[type], _Result]:
    """Cache the results of a function of a class. A metaclass can make its classes unhashable."""
    results: dict[int, tuple[type, _Result]] = {}  # the class is kept alive, so that its id is not reused

    @functools.wraps(function)
    def cached(cls: type) -> _Result:
        if id(cls) not in results:
            results[id(cls)] = cls, function(cls)
        return results[id(cls)][1]

    return cached


def imported(value: Any) -> Imported | None:
    """Return the expression for a class or function; None if it cannot be imported by its name.

    >>> imported(inspect.Parameter), imported(lambda: None)
    (Imported(module='inspect', name='Parameter'), None)
    """
    is_class = issubclass(type(value), type)
    module = module_of(value) if is_class else getattr(value, "__module__", None)
    name = qualname_of(value) if is_class else getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or "<" in name or module not in sys.modules:
        return None
    found = Imported(module, name)
    try:
        return found if found.load() is value else None
    except Exception:
        return None


class PackageClasses:
    """The public classes in the modules of a package that have been imported.

    >>> import json
    >>> classes = PackageClasses("json")
    >>> [cls.__name__ for cls in classes.with_attributes({"raw_decode"})]
    ['JSONDecoder']
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self._count = 0  # number of imported modules when the classes were collected
        self._classes: tuple[type, ...] = ()

    @property
    def all(self) -> tuple[type, ...]:
        """All classes, sorted by name."""
        modules = _modules_of(self._package)
        if len(modules) != self._count:  # the calls under test can import more modules
            self._count = len(modules)
            found = {
                f"{module_of(value)}.{qualname_of(value)}": value
                for name in modules
                for value in list(vars(sys.modules[name]).values())
                if issubclass(type(value), type) and package_of(value) == self._package and _is_usable(value)
            }
            self._classes = tuple(found[name] for name in sorted(found))
        return self._classes

    def named(self, name: str) -> Iterator[type]:
        """Yield the classes with a name, which may be dotted."""
        return (cls for cls in self.all if name_of(cls) == name.rpartition(".")[2])

    def subclasses(self, base: type) -> Iterator[type]:
        """Yield the concrete subclasses of a class, including the class itself."""
        return (cls for cls in self.all if base in mro(cls) and not inspect.isabstract(cls) and not is_protocol(cls))

    def with_attributes(self, names: set[str] | frozenset[str]) -> Iterator[type]:
        """Yield the concrete classes whose instances have all of these attributes."""
        return (
            cls
            for cls in self.all
            if has_attributes(cls, names) and not inspect.isabstract(cls) and not is_protocol(cls)
        )


def _modules_of(package: str) -> list[str]:
    return sorted(name for name in list(sys.modules) if name.partition(".")[0] == package)


def _is_usable(cls: type) -> bool:
    return not name_of(cls).startswith("_") and not issubclass(cls, Warning) and imported(cls) is not None


def is_protocol(cls: type) -> bool:
    """Return whether a class is a protocol, which cannot be instantiated."""
    return bool(fields_of(cls).get("_is_protocol"))


def members_of(cls: type) -> frozenset[str]:
    """Return the attributes that an abstract class or protocol requires.

    >>> import collections.abc
    >>> sorted(members_of(collections.abc.Sized))
    ['__len__']
    """
    abstract = frozenset(fields_of(cls).get("__abstractmethods__", ()))
    if abstract or not is_protocol(cls):
        return abstract
    return frozenset(
        name
        for base in mro(cls)
        if is_protocol(base)
        for name in (*fields_of(base), *_annotated(base))
        if not name.startswith("_")
    )


def has_attributes(cls: type, names: Set[str]) -> bool:
    """Return whether instances of a class have all of these attributes, including those that its methods assign."""
    missing = names - _declared(cls)
    if not missing:
        return True
    if not _COMMON.isdisjoint(missing):
        return False
    bases = [base for base in mro(cls) if base is not object]
    # Parsing a class takes long, and the text of its module often excludes it.
    texts = {module: module_source(module) for base in bases if isinstance(module := module_of(base), str)}
    if not all(any(f".{name}" in text for text in texts.values()) for name in missing):
        return False
    return missing <= {name for base in bases for name in _assigned(base)}


@cached_by_identity
def attributes_of(cls: type) -> frozenset[str]:
    """Return the names of the attributes that instances of a class have, including those that its methods assign."""
    assigned = {name for base in mro(cls) if base is not object for name in _assigned(base)}
    return _declared(cls) | (assigned - _COMMON)


@cached_by_identity
def _declared(cls: type) -> frozenset[str]:
    """Return the names of the attributes that a class and its bases declare, without those that all classes have."""
    return frozenset(name for base in mro(cls) for name in (*fields_of(base), *_annotated(base))) - _COMMON


def _annotated(cls: type) -> Iterable[str]:
    """Return the names that have annotations in the body of a class."""
    try:
        return inspect.get_annotations(cls)
    except Exception:  # an annotation cannot be evaluated, or the metaclass interferes
        return ()


@cached_by_identity
def _assigned(cls: type) -> frozenset[str]:
    """Return the attributes that the methods in the source of a class assign to `self`."""
    tree = class_tree(cls)
    return frozenset(
        node.attr
        for node in ([] if tree is None else ast.walk(tree))
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    )


@cached_by_identity
def class_tree(cls: type) -> ast.ClassDef | None:
    """Return the syntax tree of a class; None if its source is not available."""
    try:
        tree = ast.parse(class_source(cls))
    except (SyntaxError, ValueError):
        return None
    found = tree.body[0] if tree.body else None
    return found if isinstance(found, ast.ClassDef) else None
