"""Where objects were made that are there before an execution begins: by modules as they were imported.

Nobody saw them being made, so they are looked for in the globals of instrumented modules, in the attributes of their
classes, and in what those hold. An object is said to be made where the source binds that name, at the line that calls
the constructor: what a native run sees. One that a function made is taken to be made where the function is called.
"""

from __future__ import annotations

import ast
import functools
import os
import queue
import sys
import threading
import warnings
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable, Iterator
from types import MemberDescriptorType, ModuleType
from typing import Any

from raddle.inspection import fields_of, module_of, mro, own_fields, qualname_of
from raddle.site import SiteTable
from raddle.threads.twins.adopt import TWINS

_WHOLE = (threading.Condition, threading.Event, threading.Semaphore, threading.Barrier, queue.Queue)
# Classes, by id.
_STANDING_IN = frozenset(map(id, TWINS.values()))
_SETS = frozenset(map(id, (set, frozenset)))
_KEEPING = frozenset(map(id, (list, tuple, dict, deque, defaultdict, OrderedDict)))  # others run code of their own
_CONTAINERS = _KEEPING | _SETS
DEPTH = 5  # how far objects are followed through their attributes and items
MOST = 20_000  # objects that are looked at
MAX_ITEMS = 1_000  # of one container

_Found = tuple[Any, ast.expr, str, int]  # an object, what makes it, in which file, how far from a name


class ModuleObjects:
    """The objects that modules have, and where these were made.

    Executions may import more modules, and a scenario's `setup` may make everything anew (`renewed`).
    """

    def __init__(self, table: SiteTable, *, renewed: bool = False) -> None:
        self._table = table
        self._renewed = renewed
        self._size, self._stale = -1, True  # sites when it was looked last, and has it to be again?
        self._places: dict[int, tuple[object, str]] = {}  # by id: the object, kept alive, and its place
        self._look()  # now: in an execution that runs in a child it would be for that one only

    def begin(self) -> None:
        """An execution begins."""
        self._stale = self._stale or self._renewed or self._size != len(self._table)

    def place(self, obj: object) -> str:
        """The line where an object was made; "" if it belongs to no module.

        >>> ModuleObjects(SiteTable()).place(threading.Lock())
        ''
        """
        if self._stale:
            self._look()
        obj = unwrap_twin(obj)
        found = self._places.get(id(obj))
        return found[1] if found is not None else ""

    def _look(self) -> None:
        self._stale, self._size = False, len(self._table)
        self._places = {}
        paths = frozenset(self._table.paths().values())
        modules = [m for m in list(sys.modules.values()) if issubclass(type(m), ModuleType) and _file(m) in paths]
        names = frozenset(_name(module) for module in modules)
        waiting: deque[_Found] = deque()
        for module in modules:
            waiting.extend(_bound_in(module, names))
        seen: set[int] = set()
        while waiting and len(seen) < MOST:  # what is nearest to a name first: that is what it was made for
            obj, node, path, depth = waiting.popleft()
            obj = unwrap_twin(obj)
            if id(obj) in seen:
                continue
            seen.add(id(obj))
            if id(type(obj)) not in _CONTAINERS:
                self._places[id(obj)] = (obj, f"{self._table.label(path)}:{_line(node)}")
            if depth < DEPTH:
                waiting.extend((part, of, path, depth + 1) for part, of in _parts(obj, node) if _counts(part, names))


def _file(module: ModuleType) -> str | None:
    file = own_fields(module).get("__file__")
    return file if type(file) is str else None


def _name(module: ModuleType) -> str:
    name = own_fields(module).get("__name__")
    return name if type(name) is str else ""


def unwrap_twin(obj: Any) -> Any:
    """A twin that stands in for a real primitive is that one."""
    real = getattr(obj, "_real", None) if id(type(obj)) in _STANDING_IN else None
    return obj if real is None else real


def _counts(obj: object, names: frozenset[str]) -> bool:
    """Is it a primitive, an object of a class of these modules, or something that may hold some?

    By its type alone: `isinstance` asks the object, and a stand-in for another one would begin to work.
    """
    kind = type(obj)
    key = id(kind)
    if key in TWINS or key in _STANDING_IN or key in _CONTAINERS or issubclass(kind, _WHOLE):
        return True
    return module_of(kind) in names and not issubclass(kind, type)


# -- what is bound to names ---------------------------------------------------------------------------


def _bound_in(module: ModuleType, names: frozenset[str]) -> Iterator[_Found]:
    """What the names of a module and of its classes stand for, if that matters and the source says what made it."""
    path = _file(module) or ""
    held = [(name, obj) for name, obj in _names_in(module) if _counts(obj, names)]
    known = _bindings(path, _changed(path)) if held else {}
    for name, obj in held:
        if name in known:
            yield obj, known[name], path, 0


def _names_in(module: ModuleType) -> Iterator[tuple[str, object]]:
    classes: list[tuple[str, type]] = []
    for name, obj in list(own_fields(module).items()):
        yield name, obj
        if _is_class(obj, module, name):
            classes.append((name, obj))
    for qualified, cls in classes:  # grows meanwhile
        for name, obj in list(fields_of(cls).items()):
            yield f"{qualified}.{name}", obj
            if _is_class(obj, module, f"{qualified}.{name}"):
                classes.append((f"{qualified}.{name}", obj))


def _is_class(obj: Any, module: ModuleType, name: str) -> bool:
    """Is it a class that the module has defined by this name?"""
    return issubclass(type(obj), type) and (module_of(obj), qualname_of(obj)) == (_name(module), name)


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


@functools.lru_cache(maxsize=256)
def _bindings(path: str, changed: float) -> dict[str, ast.expr]:
    """By name, "Cart.lock" for one of a class: the last expression bound to it that calls anything."""
    try:
        with open(path, "rb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # whoever compiled it has had them
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return {}
    return {name: value for name, value in _bound_by(tree.body, "") if _calls(value)}


def _bound_by(statements: Iterable[ast.AST], owner: str) -> Iterator[tuple[str, ast.expr]]:
    for statement in statements:
        if isinstance(statement, ast.ClassDef):
            yield from _bound_by(statement.body, f"{owner}{statement.name}.")
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inside = list(ast.walk(statement))
            names = {name for node in inside if isinstance(node, ast.Global) for name in node.names}
            if names:
                yield from ((name, value) for node in inside for name, value in _assigned(node, "") if name in names)
        else:
            yield from _assigned(statement, owner)
            yield from _bound_by((s for s in ast.iter_child_nodes(statement) if not isinstance(s, ast.expr)), owner)


def _assigned(statement: ast.AST, owner: str) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from _unpacked(target, statement.value, owner)
    elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
        yield from _unpacked(statement.target, statement.value, owner)


def _unpacked(target: ast.expr, value: ast.expr, owner: str) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield f"{owner}{target.id}", value
    elif isinstance(target, ast.Attribute):
        yield f"{owner}{ast.unparse(target)}", value
    elif isinstance(target, (ast.Tuple, ast.List)):
        for index, part in enumerate(target.elts):
            yield from _unpacked(part, _item(value, index, len(target.elts)), owner)


# -- what makes what -----------------------------------------------------------------------------------


def _parts(obj: Any, node: ast.expr) -> Iterator[tuple[object, ast.expr]]:
    """What an object holds, and the part of the expression that made it."""
    if id(type(obj)) in _CONTAINERS:
        items = list(obj.values() if issubclass(type(obj), dict) else obj)
        for index, item in enumerate(items[:MAX_ITEMS]):
            yield item, node if id(type(obj)) in _SETS else _item(node, index, len(items))
    elif id(type(obj)) not in TWINS:
        yield from ((value, node) for value in list(own_fields(obj).values()))
        for cls in mro(type(obj)):
            for slot in [one for one in fields_of(cls).values() if type(one) is MemberDescriptorType]:
                yield _in_slot(slot, obj), node


def _in_slot(slot: MemberDescriptorType, obj: object) -> object:
    try:
        return slot.__get__(obj)
    except AttributeError:  # it was given none
        return None


def _item(node: ast.expr, index: int, count: int) -> ast.expr:
    """The part of an expression that made one of so many items; all of it where nothing more is known."""
    if isinstance(node, (ast.List, ast.Tuple)):
        items: list[ast.expr] = node.elts
    elif isinstance(node, ast.Dict) and None not in node.keys:
        items = node.values
    else:
        return node
    plain = len(items) == count and not any(isinstance(item, ast.Starred) for item in items)
    return items[index] if plain else node


def _calls(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Call) for part in ast.walk(node))


def _line(node: ast.expr) -> int:
    """Of the first call that is not an argument of another one; it may be inside a display or a comprehension."""
    waiting: deque[ast.AST] = deque([node])
    while waiting:
        part = waiting.popleft()
        if isinstance(part, ast.Call):
            return part.lineno
        waiting.extend(ast.iter_child_nodes(part))
    return node.lineno
