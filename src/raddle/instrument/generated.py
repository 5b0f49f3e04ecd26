"""Functions that `dataclass` writes: they have no source, but it is known what they say.

To compare two objects, to hash one and to show one is to read its fields. The text of such a function is written once
more, and if it compiles to the very code that the function has, the function gets the same with probes. Its sites are
in the line where its class begins, and their numbers are the last of the module's. What `dataclass` writes besides
makes an object, before anybody else can have it, or refuses to change one.
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
from raddle.instrument.leftover_sites import enter_left, leave
from raddle.instrument.rewrite import rewrite, site_base
from raddle.instrument.running_source import ASSERTIONS
from raddle.site import MAX_SITES, Site, SiteTable

if TYPE_CHECKING:
    from raddle.instrument.hook import Hook

_COMPARING = {"__eq__": "==", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}
READING_METHODS = frozenset({*_COMPARING, "__hash__", "__repr__"})
_HARMLESS = frozenset({"__init__", "__setattr__", "__delattr__"})
_GENERATORS = (vars(collections), vars(dataclasses))
_FILLING = frozenset({"__init__", "__attrs_init__"})
FACTORY_NAME = "__create_fn__"  # the function that makes the others, and is left for the collector of garbage
GENERATED_FILENAME = "<string>"  # what dataclasses calls its texts
FIRST_OF_CLASSES = MAX_SITES // 2  # of a module's sites: what the source itself has comes before
MAX_OF_A_CLASS = 512  # sites


def generated_functions(kind: type) -> dict[str, FunctionType]:
    """The functions that `dataclass` wrote for a class, by name.

    >>> @dataclasses.dataclass
    ... class Point:
    ...     x: int
    ...     def shift(self): self.x += 1
    >>> sorted(written(Point))
    ['__eq__', '__init__', '__repr__']
    """
    found = {}
    for name in (READING_METHODS | _HARMLESS) & kind.__dict__.keys():
        function = kind.__dict__[name]
        function = getattr(function, "__wrapped__", function)  # `__repr__` is kept from calling itself for ever
        if (
            type(function) is FunctionType
            and function.__code__.co_filename == GENERATED_FILENAME
            and is_dataclass(kind)
        ):
            found[name] = function
    return found


def makes_objects(code: CodeType, frame: FrameType) -> bool:
    """Whether a function about to run was generated to fill in a new object, as `dataclass` and attrs do.

    Such a function has no source and no probes. It needs none: no other thread has the object yet.
    """
    if (
        code.co_filename == GENERATED_FILENAME
        and frame.f_back is not None
        and any(frame.f_back.f_globals is one for one in _GENERATORS)
    ):
        return True  # what makes the functions of a class
    if str(frame.f_globals.get("__name__")).startswith("namedtuple_"):
        return True
    if code.co_name not in _FILLING or not code.co_varnames:
        return False
    made = frame.f_locals.get(code.co_varnames[0])
    for kind in type(made).__mro__:
        function = kind.__dict__.get(code.co_name)
        if type(function) is FunctionType and function.__code__ is code:
            return is_dataclass(kind) or "__attrs_attrs__" in kind.__dict__
    return False


def is_dataclass(kind: type) -> bool:
    """Was the class itself, not one that it extends, given to `dataclass`?"""
    return "__dataclass_fields__" in kind.__dict__


def probed_codes(kind: type, table: SiteTable, *, blocks: bool = False) -> dict[str, CodeType]:
    """By name, what functions that read are to run instead; those whose code is not as expected are missing."""
    functions = {name: function for name, function in generated_functions(kind).items() if name in READING_METHODS}
    module = sys.modules.get(kind.__module__)
    if module is None or not functions:
        return {}
    place = _place(kind, module, table.root)
    if place is None:
        return {}
    codes = {}
    number = place.number
    for name in sorted(functions):
        text = _text_of(functions[name].__code__, name, _fields(kind, name))
        if text is None:
            continue
        sites, code = _probed(text, kind.__qualname__, place.file, place.path, place.line, number, blocks=blocks)
        if number + len(sites) > place.number + MAX_OF_A_CLASS:
            break
        table.add(number, sites, file=place.file, path=place.path)
        leave(module.__name__, number, sites, file=place.file, path=place.path)
        number += len(sites)
        codes[name] = code
    return codes


def probe_new_dataclasses(hook: Hook) -> Callable[[], None]:
    """Probe classes that become dataclasses from now on, as the hook does modules, until the answer is called.

    Those classes stay probed.
    """
    process: Any = getattr(dataclasses, "_process_class", None)
    if process is None:  # it is not public, and may be called something else one day
        return lambda: None

    @functools.wraps(process)
    def process_and_probe(*args: Any, **kwargs: Any) -> Any:
        kind = process(*args, **kwargs)
        module = sys.modules.get(kind.__module__)
        if module is None or not hook.wants(module):
            return kind
        codes = probed_codes(kind, hook.table, blocks=hook.blocks)
        functions = generated_functions(kind)
        if (
            not functions.keys() & READING_METHODS
        ):  # none, or somebody was faster: an exploration in a program that is watched
            enter_left(module.__name__, hook.table)
        for name, function in functions.items():
            if name in codes:
                expose_probes(function.__globals__)
                function.__code__ = codes[name]
            elif name in READING_METHODS:
                hook.refuse(f"{module.__name__}: {function.__qualname__}", f"there is no source: {GENERATED_FILENAME}")
        return kind

    dataclasses._process_class = process_and_probe  # type: ignore[attr-defined]
    return lambda: setattr(dataclasses, "_process_class", process)


# -- their text -----------------------------------------------------------------------------------------


def _fields(kind: type, name: str) -> tuple[str, ...]:
    """The names of the fields that a function reads."""
    fields = dataclasses.fields(kind)
    if name == "__repr__":
        return tuple(field.name for field in fields if field.repr)
    if name == "__hash__":
        return tuple(field.name for field in fields if (field.compare if field.hash is None else field.hash))
    return tuple(field.name for field in fields if field.compare)


@functools.lru_cache(maxsize=10_000)
def _text_of(code: CodeType, name: str, fields: tuple[str, ...]) -> str | None:
    """The text that compiles to this code; None if it is not known."""
    for text in _texts(name, fields):
        if _same(code, _function(compile(text, GENERATED_FILENAME, "exec", dont_inherit=True), name)):
            return text
    return None


def _texts(name: str, fields: tuple[str, ...]) -> Iterator[str]:
    """What a function can look like, in all versions of Python."""
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


def _same(one: CodeType, other: CodeType) -> bool:
    parts = ("co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_cellvars")
    return all(getattr(one, part) == getattr(other, part) for part in parts)


def _function(module: CodeType, name: str) -> CodeType:
    return next(code for code in nested(module) if code.co_name == name)


# -- with probes ----------------------------------------------------------------------------------------


class _Place(NamedTuple):
    file: str
    path: str
    line: int
    number: int  # of its first site


def _place(kind: type, module: ModuleType, root: str) -> _Place | None:
    """Where a class is; None if that is not known, or there are too many before it."""
    path = getattr(module, "__file__", None)
    try:
        with open(path, "rb") as stream:  # type: ignore[arg-type] # None is a TypeError
            source = stream.read()
        lines = _lines(source)
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    if kind.__qualname__ not in lines:  # made in another way
        return None
    index = FIRST_OF_CLASSES + MAX_OF_A_CLASS * list(lines).index(kind.__qualname__)
    if index + MAX_OF_A_CLASS > MAX_SITES:
        return None
    file = label_of(module, root)
    base = site_base(file, source, *((ASSERTIONS,) if "@pytest_ar" in module.__dict__ else ()))
    return _Place(file, str(path), lines[kind.__qualname__], base + index)


@functools.lru_cache(maxsize=10_000)  # classes in functions are made again and again
def _probed(
    text: str, owner: str, file: str, path: str, line: int, number: int, *, blocks: bool
) -> tuple[tuple[Site, ...], CodeType]:
    """Its sites, and its code."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.expr, ast.stmt, ast.arg)):
            node.lineno = node.end_lineno = line
    rewritten = rewrite(text, file=file, base=number, tree=tree, tokens=False, blocks=blocks)
    sites = tuple(replace(site, function=f"{owner}.{site.function}") for site in rewritten.sites)
    code = compile(rewritten.tree, path, "exec", dont_inherit=True)
    return sites, _function(code, text[len("def ") : text.index("(")])


@functools.lru_cache(maxsize=64)
def _lines(source: bytes) -> dict[str, int]:
    """Of every class, in their order: the line of its first decorator, or of itself."""
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
