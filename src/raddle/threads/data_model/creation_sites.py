"""Creation sites of objects that were created during import, before any execution began.

No probe observed the creation of these objects. So raddle searches for them in the globals of instrumented modules, in
class attributes, and in the objects that these refer to. The creation site is the line of the constructor call in the
statement that binds the name, as in a native run. If a function creates the object, the creation site is the line that
calls the function.
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

# Synchronization classes written in Python, whose instances are tracked.
_PRIMITIVES = (threading.Condition, threading.Event, threading.Semaphore, threading.Barrier, queue.Queue)
# Sets of class ids. Iterating over an instance of a subclass could run the program's code, so the sets do not include
# subclasses.
_TWIN_TYPES = frozenset(map(id, TWINS.values()))
_SETS = frozenset(map(id, (set, frozenset)))
_PLAIN_CONTAINERS = frozenset(map(id, (list, tuple, dict, deque, defaultdict, OrderedDict)))
_CONTAINERS = _PLAIN_CONTAINERS | _SETS
MAX_DEPTH = 5  # maximum length of a chain of attributes and items followed from a name
MAX_OBJECTS = 20_000  # maximum number of objects inspected in one scan
MAX_ITEMS = 1_000  # maximum number of items inspected in one container

# An object, the expression that created it, the file of that expression, and the distance from a name.
_Candidate = tuple[Any, ast.expr, str, int]


class ModuleObjects:
    """The objects that modules hold, with their creation sites.

    Modules are scanned again if an execution imports further modules. If `renewed` is true, they are scanned for every
    execution, because the scenario's `setup` recreates the objects.
    """

    def __init__(self, table: SiteTable, *, renewed: bool = False) -> None:
        self._table = table
        self._renewed = renewed
        self._site_count, self._stale = -1, True  # number of sites at the last scan; True if a scan is due
        self._places: dict[int, tuple[object, str]] = {}  # maps an id to the object (kept alive) and its creation site
        self._scan()  # scan now, because the result of a scan in a forked child process would be lost

    def begin(self) -> None:
        """Prepare for an execution."""
        self._stale = self._stale or self._renewed or self._site_count != len(self._table)

    def place(self, obj: object) -> str:
        """Return the line where an object was created, or "" if no module holds it.

        >>> ModuleObjects(SiteTable()).place(threading.Lock())
        ''
        """
        if self._stale:
            self._scan()
        obj = unwrap_twin(obj)
        found = self._places.get(id(obj))
        return found[1] if found is not None else ""

    def _scan(self) -> None:
        self._stale, self._site_count = False, len(self._table)
        self._places = {}
        paths = frozenset(self._table.paths().values())
        modules = [m for m in list(sys.modules.values()) if issubclass(type(m), ModuleType) and _file(m) in paths]
        names = frozenset(_name(module) for module in modules)
        pending: deque[_Candidate] = deque()
        for module in modules:
            pending.extend(_bound_in(module, names))
        seen: set[int] = set()
        while pending and len(seen) < MAX_OBJECTS:  # breadth first, so the name nearest to an object is used
            obj, node, path, depth = pending.popleft()
            obj = unwrap_twin(obj)
            if id(obj) in seen:
                continue
            seen.add(id(obj))
            if id(type(obj)) not in _CONTAINERS:
                self._places[id(obj)] = (obj, f"{self._table.label(path)}:{_line(node)}")
            if depth < MAX_DEPTH:
                pending.extend(
                    (part, of, path, depth + 1) for part, of in _parts(obj, node) if _is_tracked(part, names)
                )


def _file(module: ModuleType) -> str | None:
    file = own_fields(module).get("__file__")
    return file if type(file) is str else None


def _name(module: ModuleType) -> str:
    name = own_fields(module).get("__name__")
    return name if type(name) is str else ""


def unwrap_twin(obj: Any) -> Any:
    """Return the real primitive that a twin replaces; return any other object unchanged."""
    real = getattr(obj, "_real", None) if id(type(obj)) in _TWIN_TYPES else None
    return obj if real is None else real


def _is_tracked(obj: object, names: frozenset[str]) -> bool:
    """Return whether an object is a primitive, a container, or an instance of a class in one of the named modules.

    Only its type is inspected: `isinstance` would read the object's `__class__`, which could make a lazy proxy create
    its object.
    """
    kind = type(obj)
    key = id(kind)
    if key in TWINS or key in _TWIN_TYPES or key in _CONTAINERS or issubclass(kind, _PRIMITIVES):
        return True
    return module_of(kind) in names and not issubclass(kind, type)


# -- bindings of names --------------------------------------------------------------------------------


def _bound_in(module: ModuleType, names: frozenset[str]) -> Iterator[_Candidate]:
    """Yield the tracked objects bound to names of a module and its classes, if the source shows what created them."""
    path = _file(module) or ""
    tracked = [(name, obj) for name, obj in _names_in(module) if _is_tracked(obj, names)]
    bindings = _bindings(path, _modified_at(path)) if tracked else {}
    for name, obj in tracked:
        if name in bindings:
            yield obj, bindings[name], path, 0


def _names_in(module: ModuleType) -> Iterator[tuple[str, object]]:
    classes: list[tuple[str, type]] = []
    for name, obj in list(own_fields(module).items()):
        yield name, obj
        if _is_class(obj, module, name):
            classes.append((name, obj))
    for qualified, cls in classes:  # the loop appends nested classes
        for name, obj in list(fields_of(cls).items()):
            yield f"{qualified}.{name}", obj
            if _is_class(obj, module, f"{qualified}.{name}"):
                classes.append((f"{qualified}.{name}", obj))


def _is_class(obj: Any, module: ModuleType, name: str) -> bool:
    """Return whether an object is a class that the module defines under this name."""
    return issubclass(type(obj), type) and (module_of(obj), qualname_of(obj)) == (_name(module), name)


def _modified_at(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0


@functools.lru_cache(maxsize=256)
def _bindings(path: str, modified_at: float) -> dict[str, ast.expr]:
    """Map each name ("Cart.lock" for a class attribute) to the last expression bound to it that contains a call."""
    try:
        with open(path, "rb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # warnings were shown when the module was compiled
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return {}
    return {name: value for name, value in _bindings_of(tree.body, "") if _contains_call(value)}


def _bindings_of(statements: Iterable[ast.AST], owner: str) -> Iterator[tuple[str, ast.expr]]:
    for statement in statements:
        if isinstance(statement, ast.ClassDef):
            yield from _bindings_of(statement.body, f"{owner}{statement.name}.")
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            inside = list(ast.walk(statement))
            names = {name for node in inside if isinstance(node, ast.Global) for name in node.names}
            if names:
                yield from ((name, value) for node in inside for name, value in _assigned(node, "") if name in names)
        else:
            yield from _assigned(statement, owner)
            yield from _bindings_of((s for s in ast.iter_child_nodes(statement) if not isinstance(s, ast.expr)), owner)


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


# -- expressions that create objects -------------------------------------------------------------------


def _parts(obj: Any, node: ast.expr) -> Iterator[tuple[object, ast.expr]]:
    """Yield the objects that an object holds, each with the part of the expression that created it."""
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
    except AttributeError:  # the slot is empty
        return None


def _item(node: ast.expr, index: int, count: int) -> ast.expr:
    """Return the part of an expression that created one of `count` items.

    If that part cannot be determined, return the whole expression.
    """
    if isinstance(node, (ast.List, ast.Tuple)):
        items: list[ast.expr] = node.elts
    elif isinstance(node, ast.Dict) and None not in node.keys:
        items = node.values
    else:
        return node
    one_to_one = len(items) == count and not any(isinstance(item, ast.Starred) for item in items)
    return items[index] if one_to_one else node


def _contains_call(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Call) for part in ast.walk(node))


def _line(node: ast.expr) -> int:
    """Return the line of the outermost call in an expression. The call may be inside a display or a comprehension."""
    pending: deque[ast.AST] = deque([node])
    while pending:
        part = pending.popleft()
        if isinstance(part, ast.Call):
            return part.lineno
        pending.extend(ast.iter_child_nodes(part))
    return node.lineno
