"""Adds probes to the methods that `dataclass` generates, which have no source file.

The generated methods that compare, hash or print an object read its fields. raddle regenerates the source text of such
a method. If this text compiles to exactly the method's code, probes are added to the method. The sites of the method
are on the line where its class begins. Their numbers come after all other site numbers of the module. The other
generated methods need no probes: they initialize an object that no other thread can hold yet, or reject changes to a
frozen one.
"""

from __future__ import annotations

import ast
import collections
import dataclasses
import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from raddle.instrument.codes import nested
from raddle.instrument.compiled import expose_probes
from raddle.instrument.labels import label_of
from raddle.instrument.leftover_sites import remember_leftover_sites, restore_leftover_sites
from raddle.instrument.rewrite import rewrite, site_base
from raddle.instrument.running_source import ASSERTIONS
from raddle.site import MAX_SITES, Site, SiteTable

if TYPE_CHECKING:
    from raddle.instrument.hook import Hook

_COMPARING = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
READING_METHODS = frozenset({*_COMPARING, "__hash__", "__repr__"})  # generated methods that read fields
_UNPROBED_METHODS = frozenset({"__init__", "__setattr__", "__delattr__"})
_GENERATOR_NAMESPACES = (vars(collections), vars(dataclasses))
_INITIALIZERS = frozenset({"__init__", "__attrs_init__"})
FACTORY_NAME = "__create_fn__"  # name of the generated function that defines a method
GENERATED_FILE = "<string>"  # file name of code that `dataclass` generates
FIRST_CLASS_SITE = MAX_SITES // 2  # index of the first site of generated methods; sites of the source come before it
MAX_SITES_PER_CLASS = 512


def generated_functions(cls: type) -> dict[str, FunctionType]:
    """Return the methods that `dataclass` generated for a class, by name.

    >>> @dataclasses.dataclass
    ... class Point:
    ...     x: int
    ...     def shift(self): self.x += 1
    >>> sorted(generated_functions(Point))
    ['__eq__', '__init__', '__repr__']
    """
    found = {}
    for name in (READING_METHODS | _UNPROBED_METHODS) & cls.__dict__.keys():
        function = cls.__dict__[name]
        function = getattr(function, "__wrapped__", function)  # `dataclass` wraps `__repr__` to stop infinite recursion
        if type(function) is FunctionType and function.__code__.co_filename == GENERATED_FILE and is_dataclass(cls):
            found[name] = function
    return found


def makes_objects(code: CodeType, frame: FrameType) -> bool:
    """Return whether a function about to run was generated to initialize a new object, for example by `dataclass`.

    Such a function has no source and needs no probes: no other thread can hold the object yet.
    """
    if (
        code.co_filename == GENERATED_FILE
        and frame.f_back is not None
        and any(frame.f_back.f_globals is one for one in _GENERATOR_NAMESPACES)
    ):
        return True  # the helper that creates the methods of a class
    if str(frame.f_globals.get("__name__")).startswith("namedtuple_"):
        return True
    if code.co_name not in _INITIALIZERS or not code.co_varnames:
        return False
    made = frame.f_locals.get(code.co_varnames[0])
    for cls in type(made).__mro__:
        function = cls.__dict__.get(code.co_name)
        if type(function) is FunctionType and function.__code__ is code:
            return is_dataclass(cls) or "__attrs_attrs__" in cls.__dict__
    return False


def is_dataclass(cls: type) -> bool:
    """Return whether `dataclass` was applied to the class itself, not only to a base class."""
    return "__dataclass_fields__" in cls.__dict__


def probed_codes(cls: type, table: SiteTable, *, blocks: bool = False) -> dict[str, CodeType]:
    """Return the probed code of the generated methods that read fields, by name.

    Methods whose code differs from the expected code are left out.
    """
    functions = {name: function for name, function in generated_functions(cls).items() if name in READING_METHODS}
    module = sys.modules.get(cls.__module__)
    if module is None or not functions:
        return {}
    place = _place(cls, module, table.root)
    if place is None:
        return {}
    codes = {}
    number = place.number
    for name in sorted(functions):
        text = _text_of(functions[name].__code__, name, _fields(cls, name))
        if text is None:
            continue
        sites, code = _probed(text, cls.__qualname__, place.file, place.path, place.line, number, blocks=blocks)
        if number + len(sites) > place.number + MAX_SITES_PER_CLASS:
            break
        table.add(number, sites, file=place.file, path=place.path)
        remember_leftover_sites(module.__name__, number, sites, file=place.file, path=place.path)
        number += len(sites)
        codes[name] = code
    return codes


def probe_new_dataclasses(hook: Hook) -> Callable[[], None]:
    """Add probes to each class of a selected module as soon as `dataclass` has processed the class.

    This patches `dataclasses`. Return a function that removes the patch. Classes that already have probes keep them.
    """
    process: Any = getattr(dataclasses, "_process_class", None)
    if process is None:  # a later Python version may have renamed this private function
        return lambda: None

    @functools.wraps(process)
    def process_and_probe(*args: Any, **kwargs: Any) -> Any:
        cls = process(*args, **kwargs)
        module = sys.modules.get(cls.__module__)
        if module is None or not hook.wants(module):
            return cls
        codes = probed_codes(cls, hook.table, blocks=hook.blocks)
        functions = generated_functions(cls)
        # The class has no generated methods that read fields, or an enclosing native run has already probed them.
        if not functions.keys() & READING_METHODS:
            restore_leftover_sites(module.__name__, hook.table)
        for name, function in functions.items():
            if name in codes:
                expose_probes(function.__globals__)
                function.__code__ = codes[name]
            elif name in READING_METHODS:
                hook.refuse(f"{module.__name__}: {function.__qualname__}", f"no source found for {GENERATED_FILE}")
        return cls

    dataclasses._process_class = process_and_probe  # type: ignore[attr-defined]
    return lambda: setattr(dataclasses, "_process_class", process)


# -- source text ----------------------------------------------------------------------------------------


def _fields(cls: type, name: str) -> tuple[str, ...]:
    """Return the names of the fields that a generated method reads."""
    fields = dataclasses.fields(cls)
    if name == "__repr__":
        return tuple(field.name for field in fields if field.repr)
    if name == "__hash__":
        return tuple(field.name for field in fields if (field.compare if field.hash is None else field.hash))
    return tuple(field.name for field in fields if field.compare)


@functools.lru_cache(maxsize=10_000)
def _text_of(code: CodeType, name: str, fields: tuple[str, ...]) -> str | None:
    """Return a source text that compiles to the code of this method; None if no known text does."""
    for text in _texts(name, fields):
        if _is_same_code(code, _function(compile(text, GENERATED_FILE, "exec", dont_inherit=True), name)):
            return text
    return None


def _texts(name: str, fields: tuple[str, ...]) -> Iterator[str]:
    """Yield the source texts that the supported versions of Python generate for a method."""
    mine, theirs = _tuple("self", fields), _tuple("other", fields)
    if name == "__hash__":
        yield f"def __hash__(self): return hash({mine})"
    elif name == "__repr__":
        shown = ", ".join(f"{field}={{self.{field}!r}}" for field in fields)
        yield f'def __repr__(self): return self.__class__.__qualname__ + f"({shown})"'
        yield f'def __repr__(self): return f"{{self.__class__.__qualname__}}({shown})"'
    else:
        operator = _COMPARING[name]
        yield (
            f"def {name}(self, other):\n"
            f" if other.__class__ is self.__class__: return {mine}{operator}{theirs}\n"
            " return NotImplemented"
        )
        one_by_one = " and ".join(f"self.{field}{operator}other.{field}" for field in fields) or "True"
        yield (
            f"def {name}(self, other):\n"
            " if self is other: return True\n"
            f" if other.__class__ is self.__class__: return {one_by_one}\n"
            " return NotImplemented"
        )


def _tuple(name: str, fields: tuple[str, ...]) -> str:
    return f"({','.join(f'{name}.{field}' for field in fields)},)" if fields else "()"


def _is_same_code(one: CodeType, other: CodeType) -> bool:
    parts = ("co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_cellvars")
    return all(getattr(one, part) == getattr(other, part) for part in parts)


def _function(module: CodeType, name: str) -> CodeType:
    return next(code for code in nested(module) if code.co_name == name)


# -- probed code ----------------------------------------------------------------------------------------


class _Place(NamedTuple):
    file: str
    path: str
    line: int
    number: int  # number of the first site


def _place(cls: type, module: ModuleType, root: str) -> _Place | None:
    """Return where a class is defined; None if its source is unknown or too many classes precede it in the module."""
    path = getattr(module, "__file__", None)
    try:
        with open(path, "rb") as stream:  # type: ignore[arg-type] # None is a TypeError
            source = stream.read()
        lines = _class_lines(source)
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    if cls.__qualname__ not in lines:  # created in another way, for example by `make_dataclass`
        return None
    index = FIRST_CLASS_SITE + MAX_SITES_PER_CLASS * list(lines).index(cls.__qualname__)
    if index + MAX_SITES_PER_CLASS > MAX_SITES:
        return None
    file = label_of(module, root)
    base = site_base(file, source, *((ASSERTIONS,) if "@pytest_ar" in module.__dict__ else ()))
    return _Place(file, str(path), lines[cls.__qualname__], base + index)


@functools.lru_cache(maxsize=10_000)  # a class inside a function is created again at every call
def _probed(
    text: str, owner: str, file: str, path: str, line: int, number: int, *, blocks: bool
) -> tuple[tuple[Site, ...], CodeType]:
    """Return the sites and the probed code of a generated method."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.stmt, ast.arg)):
            node.lineno = node.end_lineno = line
    rewritten = rewrite(text, file=file, base=number, tree=tree, tokens=False, blocks=blocks)
    sites = tuple(replace(site, function=f"{owner}.{site.function}") for site in rewritten.sites)
    code = compile(rewritten.tree, path, "exec", dont_inherit=True)
    return sites, _function(code, text[len("def ") : text.index("(")])


@functools.lru_cache(maxsize=64)
def _class_lines(source: bytes) -> dict[str, int]:
    """Map each class of a module, in source order, to the line of its first decorator, or of `class` if it has none."""
    found: dict[str, int] = {}

    def search(nodes: Iterable[ast.AST], prefix: str) -> None:
        for node in nodes:
            inner = prefix
            if isinstance(node, ast.ClassDef):
                found[prefix + node.name] = min([node.lineno, *(one.lineno for one in node.decorator_list)])
                inner = f"{prefix}{node.name}."
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                inner = f"{prefix}{node.name}.<locals>."
            search(ast.iter_child_nodes(node), inner)

    search([ast.parse(source)], "")
    return found
