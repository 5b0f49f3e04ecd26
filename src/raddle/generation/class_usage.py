"""How a class uses the arguments of its methods, including arguments that it stores in attributes or passes on."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import sys
import textwrap
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from raddle.generation.constants import named_constant
from raddle.generation.package_classes import cached_by_identity, class_tree
from raddle.generation.signatures import package_of, parameters_of_class
from raddle.generation.surface import Method, MethodKind
from raddle.generation.usage import Fact, Forward, Path, Usage, Use
from raddle.generation.usage_reader import uses_in
from raddle.inspection import module_of, mro, qualname_of

MAX_FORWARDS = 3  # calls through which an argument is followed
_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_CONTAINERS = frozenset({"list", "dict", "set", "deque", "OrderedDict", "defaultdict", "Counter"})


class ClassUsage:
    """The uses of the parameters of all methods of one class.

    >>> from queue import Queue
    >>> ClassUsage(Queue).parameter("__init__", "maxsize").has(Use.ORDERED)
    True
    """

    def __init__(self, cls: type) -> None:
        self._cls = cls
        self._trees = [
            (base, tree)
            for base in mro(cls)
            if base is not object and package_of(base) == package_of(cls) and (tree := class_tree(base)) is not None
        ]
        self._containers = frozenset(attribute for _, tree in self._trees for attribute in _container_attributes(tree))
        self._facts = self._read()

    def of(self, method: Method, name: str) -> Usage:
        """Return how a parameter of a method is used."""
        if method.kind is MethodKind.FUNCTION or (method.kind is MethodKind.CONSTRUCTOR and not method.name):
            return usage_of(method.owner.load(), name)
        if method.kind is MethodKind.ASSIGNMENT:  # of a property, or of an attribute that the constructor sets
            return self.parameter(_setter_name(method.name), name) or self.parameter("__init__", name)
        return self.parameter(method.name, name)

    def parameter(self, method: str, name: str, *, after: type | None = None, depth: int = 0) -> Usage:
        """Return how a parameter of a method is used; `after` skips the class `after` and its subclasses."""
        for base in _after(self._cls, after):
            if (_class_key(base), method) in self._functions:
                return self._resolved(self._facts.get(f"{_class_key(base)}.{method}:{name}", ()), base, depth)
        return Usage()

    @functools.cached_property
    def _functions(self) -> Mapping[tuple[str, str], ast.FunctionDef]:
        """The syntax trees of the methods, by class and name."""
        found = {
            (_class_key(base), _setter_name(node.name) if _has_decorator(node, "setter") else node.name): node
            for base, tree in reversed(self._trees)
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and not _has_decorator(node, "deleter", "overload")
        }
        if not any(name in ("__init__", "__new__") for _, name in found):
            # The constructor is generated, as in a dataclass: it stores each parameter in the attribute of that name.
            names = [ast.arg(parameter.name) for parameter in parameters_of_class(self._cls)]
            arguments = ast.arguments([], [ast.arg("self"), *names], None, [], [], None, [])
            stores = [ast.parse(f"self.{name.arg} = {name.arg}").body[0] for name in names if name.arg.isidentifier()]
            found[_class_key(self._cls), "__init__"] = ast.FunctionDef("__init__", arguments, stores, [])
        return found

    def _read(self) -> dict[str, tuple[Fact, ...]]:
        """Return the facts by the name of their parameter."""
        attributes: dict[str, list[Path]] = {}
        for attempt in range(2):  # attributes are known after the first pass
            facts: dict[str, dict[Fact, None]] = {}
            for (cls, name), tree in self._functions.items():
                sources: dict[str, Any] = {f"self.{attribute}": paths for attribute, paths in attributes.items()}
                sources |= {parameter: [(f"{cls}.{name}:{parameter}",)] for parameter in _parameters(tree)}
                for fact in uses_in(tree, sources):
                    facts.setdefault(fact.path[0], {})[Fact(fact.path[1:], fact.use, fact.detail)] = None
            if not attempt:
                attributes = _stored(facts)
        return {root: tuple(found) for root, found in facts.items()}

    def _resolved(self, facts: tuple[Fact, ...], base: type, depth: int) -> Usage:
        """Return the facts with names replaced by what they stand for, and those of functions that get the value."""
        names = vars(sys.modules[module_of(base)]) if module_of(base) in sys.modules else {}
        found: dict[Fact, None] = {}
        for fact in facts:
            if fact.use is Use.FORWARDED:
                used = self._forwarded(fact.detail, base, names, depth) if depth < MAX_FORWARDS else Usage()
                found.update(dict.fromkeys(Fact(fact.path + more.path, more.use, more.detail) for more in used.facts))
            else:
                found.update(dict.fromkeys(_with_objects(fact, names, self._containers, cls=self._cls)))
        return Usage(tuple(found))

    def _forwarded(self, forward: Forward, base: type, names: Mapping[str, Any], depth: int) -> Usage:
        receiver, _, method = forward.function.rpartition(".")
        if receiver in ("self", "cls", "super()"):
            after = base if receiver == "super()" else None
            owner = next(
                (kind for kind in _after(self._cls, after) if (_class_key(kind), method) in self._functions), None
            )
            if owner is None:
                return Usage()
            name = _parameter_at(self._functions[_class_key(owner), method], forward, skip=1)
            return self.parameter(method, name, after=after, depth=depth + 1)
        target = _lookup(forward.function, names)
        if inspect.isfunction(target) or inspect.isclass(target):
            return _usage_at(target, forward, depth + 1)
        return Usage()


def usage_of(target: Any, name: str, *, depth: int = 0) -> Usage:
    """Return how a function, or the constructor of a class, uses a parameter.

    >>> usage_of(textwrap.indent, "prefix").has(Use.ARITHMETIC)
    True
    """
    if inspect.isclass(target):
        usage = class_usage(target)
        return usage.parameter("__init__", name, depth=depth) or usage.parameter("__new__", name, depth=depth)
    tree = _function_tree(target)
    if tree is None:
        return Usage()
    names, found = target.__globals__, dict[Fact, None]()
    for fact in uses_in(tree, {name: [()]}):
        if fact.use is Use.FORWARDED and depth < MAX_FORWARDS:
            callee = _lookup(fact.detail.function, names)
            used = _usage_at(callee, fact.detail, depth + 1) if callable(callee) else Usage()
            found.update(dict.fromkeys(Fact(fact.path + more.path, more.use, more.detail) for more in used.facts))
        elif fact.use is not Use.FORWARDED:
            found.update(dict.fromkeys(_with_objects(fact, names, frozenset())))
    return Usage(tuple(found))


@cached_by_identity
def class_usage(cls: type) -> ClassUsage:
    """Return the usage of a class, which is computed once."""
    return ClassUsage(cls)


def _usage_at(target: Any, forward: Forward, depth: int) -> Usage:
    """Return how a function or class uses the argument that is passed to it."""
    tree = _function_tree(target.__init__ if inspect.isclass(target) else target)
    if tree is None:
        return Usage()
    return usage_of(target, _parameter_at(tree, forward, skip=int(inspect.isclass(target))), depth=depth)


@functools.lru_cache(maxsize=2_000)
def _function_tree(function: Any) -> ast.FunctionDef | None:
    if not inspect.isfunction(function):
        return None
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    return tree.body[0] if tree.body and isinstance(tree.body[0], ast.FunctionDef) else None


def _class_key(cls: type) -> str:
    """Return a name that identifies a class; a metaclass can make classes unhashable."""
    return f"{module_of(cls)}.{qualname_of(cls)}"


def _after(cls: type, base: type | None) -> tuple[type, ...]:
    """Return the classes after `base` in the method resolution order of `cls`, or all of them."""
    classes = mro(cls)
    position = next((number for number, one in enumerate(classes) if one is base), -1)
    return classes[position + 1 :]


def _parameters(tree: ast.FunctionDef) -> list[str]:
    found = tree.args
    return [argument.arg for argument in (*found.posonlyargs, *found.args, *found.kwonlyargs)]


def _parameter_at(tree: ast.FunctionDef, forward: Forward, *, skip: int) -> str:
    if forward.keyword:
        return forward.keyword
    names = [argument.arg for argument in (*tree.args.posonlyargs, *tree.args.args)][skip:]
    return names[forward.position] if forward.position < len(names) else ""


def _has_decorator(node: ast.FunctionDef, *names: str) -> bool:
    return any(isinstance(decorator, ast.Attribute) and decorator.attr in names for decorator in node.decorator_list)


def _setter_name(name: str) -> str:
    """Return the name under which the setter of a property is stored, because the getter has the same name."""
    return f"{name}="


def _stored(facts: Mapping[str, Mapping[Fact, None]]) -> dict[str, list[Path]]:
    attributes: dict[str, list[Path]] = {}
    for root, found in facts.items():
        for fact in found:
            if fact.use is Use.STORED:
                attributes.setdefault(fact.detail, []).append((root, *fact.path))
    return attributes


def _container_attributes(tree: ast.ClassDef) -> Iterator[str]:
    """Yield the attributes to which a class assigns a new built-in container."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            value = node.value
            name = value.func if isinstance(value, ast.Call) else None
            made = (name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")) in _CONTAINERS
            if made or isinstance(value, _DISPLAYS):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, ast.Attribute):
                        yield target.attr


def _with_objects(
    fact: Fact, names: Mapping[str, Any], containers: frozenset[str], *, cls: type | None = None
) -> Iterator[Fact]:
    """Yield a fact, with names replaced: of classes by classes, of constants by values, of functions by full names."""
    if fact.use is Use.INSTANCE:
        found = _lookup(fact.detail, names)
        for kind in found if isinstance(found, tuple) else (found,):
            if inspect.isclass(kind):
                yield Fact(fact.path, Use.INSTANCE, kind)
    elif fact.use is Use.NAMED:
        for value in named_constant(fact.detail, names, cls):
            is_simple = isinstance(value, (str, bytes, int, float)) and not isinstance(value, Enum)
            yield Fact(fact.path, Use.COMPARED, value) if is_simple else Fact(fact.path, Use.INSTANCE, type(value))
    elif fact.use is Use.PASSED:
        parts = fact.detail.split(".")
        if len(parts) == 3 and parts[0] == "self" and parts[1] in containers:
            yield Fact(fact.path, Use.KEY)
        found = _lookup(fact.detail, names)
        if found is None:
            yield fact
        else:
            yield Fact(fact.path, Use.PASSED, f"{found.__module__}.{getattr(found, '__qualname__', '')}")
    else:
        yield fact


def _lookup(name: str, names: Mapping[str, Any]) -> Any:
    """Return the class, function or tuple of classes that a dotted name stands for; None if there is none."""
    first, *rest = name.split(".")
    found = names.get(first, getattr(builtins, first, None) if first else None)
    for part in rest:
        if not inspect.ismodule(found) and not inspect.isclass(found):
            return None
        found = vars(found).get(part)
    is_usable = inspect.isclass(found) or inspect.isroutine(found) or isinstance(found, tuple)
    return found if is_usable and (isinstance(found, tuple) or getattr(found, "__module__", None)) else None
