"""Fingerprints: a canonical form of everything that can be reached from an object.

Two objects have the same fingerprint if their attributes and the contents of their containers are the same, down to
the scalars, and if the same parts are shared in the same way. Locks count only as held or free. Weak references are
left out. No code of the program runs. An object whose state cannot be read is different from every other object, since
a fingerprint that is too fine only costs time.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import count
from re import Pattern
from struct import calcsize
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

from raddle.inspection import (
    class_attribute,
    dict_offset_of,
    fields_of,
    module_of,
    mro,
    own_fields,
    qualname_of,
    weak_offset_of,
)
from raddle.threads.twins.lock import Lock, RealLock, RealRLock, RLock

_SCALARS = frozenset({int, float, complex, bool, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range})
_SEQUENCES: tuple[Any, ...] = (list, tuple, deque)
_SETS = (set, frozenset)
_LOCKS = frozenset({Lock, RLock, RealLock, RealRLock})
_WEAK = (weakref.ref, weakref.ProxyType, weakref.CallableProxyType)
_MIN_ADDRESS = 1 << 20  # smaller integers are never ids of objects

_KNOWN = (
    *_SEQUENCES, *_SETS, dict, int, float, complex, str, bytes, bytearray,
    CellType, MappingProxyType, MethodType, FunctionType, partial,
)  # fmt: skip
_POINTER = calcsize("P")
_basic_size_of: Callable[[type], int] = type.__dict__["__basicsize__"].__get__
_unreadable = count()  # each unreadable object gets another number, so it is equal to no other

Part = tuple[str, Any]  # the name of a part within its owner, and the part


def fingerprint(obj: object) -> bytes:
    """Return a digest of an object's state.

    >>> class Box: pass
    >>> one, other = Box(), Box()
    >>> one.items, other.items = [1, 2.0], [1, 2.0]
    >>> fingerprint(one) == fingerprint(other)
    True
    >>> other.items.append(one)
    >>> fingerprint(one) == fingerprint(other)
    False
    """
    return _Walk(obj).digest()


@dataclass(frozen=True, slots=True)
class ObjectState:
    """The state of an object, as a whole and by attribute."""

    fingerprint: bytes
    attributes: Mapping[str, bytes]  # fingerprints of the attributes, and "" for the contents of a container
    composite: tuple[object, ...]  # the objects with parts that can be reached
    is_accessible: bool  # whether all parts of these objects can be read and written individually


def state_of(obj: object) -> ObjectState:
    """Return the state of an object.

    >>> class Box: pass
    >>> box = Box()
    >>> box.items, box.size = [1, "a"], 2
    >>> state = state_of(box)
    >>> sorted(state.attributes), state.composite == (box, box.items), state.fingerprint == fingerprint(box)
    (['items', 'size'], True, True)
    """
    walk = _Walk(obj)
    digest = walk.digest()
    attributes: dict[str, list[str]] = {}
    for label, start, end in walk.ranges:
        attributes.setdefault(label[1:] if label[:1] == "." else "", []).extend(walk.tokens[start:end])
    return ObjectState(
        digest,
        {name: _digest(tokens) for name, tokens in attributes.items()},
        tuple(walk.composite),
        walk.is_accessible,
    )


def paths(obj: object) -> Paths:
    """Return the paths of everything that can be reached from an object.

    >>> class Box: pass
    >>> box = Box()
    >>> box.items = [[]]
    >>> paths(box).of(box.items[0])
    '.items[0]'
    """
    walk = _Walk(obj, with_paths=True)
    walk.digest()
    return Paths(walk.paths, walk.kept)


class Paths:
    """Maps objects to their paths from a root object."""

    def __init__(self, by_id: dict[int, str], kept: list[object]) -> None:
        self._by_id = by_id
        self._kept = kept  # keeps the objects alive, so that their ids are not reused

    def of(self, obj: object) -> str | None:
        """Return the path of an object; None if it could not be reached."""
        return self._by_id.get(id(obj))


class _Walk:
    """Visits everything that can be reached from an object, depth first, and writes a canonical description."""

    def __init__(self, obj: object, *, with_paths: bool = False) -> None:
        self._root = obj
        # Maps the id of an object to the part of the root in which it was reached first, and its number there. An
        # object keeps its number when other parts of the root change.
        self._numbers: dict[int, str] = {}
        self._part, self._first = 0, 0  # the part that is being visited, and the number of objects before it
        self.kept: list[object] = []
        self.composite: list[object] = []  # the objects that have parts
        self.is_accessible = True  # whether no object is defined in C, or shows the contents of another one
        self.paths: dict[int, str] = {}
        self._with_paths = with_paths
        self.tokens: list[str] = []
        self.ranges: list[tuple[str, int, int]] = []  # the parts of the root, each with the range of its tokens

    def digest(self) -> bytes:
        """Visit everything; return the digest of the description."""
        for number, (label, part) in enumerate(self._enter("", self._root, ""), 1):
            self._part, self._first, start = number, len(self.kept), len(self.tokens)
            pending: list[tuple[str, object, str]] = [(label, part, label)]
            while pending:
                pending += self._visit(*pending.pop())
            self.ranges.append((label, start, len(self.tokens)))
        return _digest(self.tokens)

    def _visit(self, label: str, obj: object, path: str) -> list[tuple[str, object, str]]:
        """Describe an object and its scalar parts; return its other parts with their paths, the last one first."""
        add, left = self.tokens.append, []
        for name, part in self._enter(label, obj, path):
            kind = type(part)
            if kind in _SCALARS and not _may_be_id(part):
                add(f"{name} {kind.__name__} {part!r}")
            else:
                left.append((name, part, path + name if self._with_paths else ""))
        return left[::-1]

    def _enter(self, label: str, obj: Any, path: str) -> Sequence[Part]:
        """Describe an object without its parts; return its parts."""
        kind = type(obj)
        if kind in _SCALARS:
            if kind is int and obj in self._numbers:
                self.tokens.append(f"{label} id of {self._numbers[obj]}")  # registries that use ids as keys
            else:
                self.tokens.append(f"{label} {kind.__name__} {obj!r}")
            return ()
        number = self._numbers.get(id(obj))
        if number is not None:
            self.tokens.append(f"{label} same {number}")
            return ()
        self._numbers[id(obj)] = f"{self._part}.{len(self.kept) - self._first}"
        self.kept.append(obj)
        if self._with_paths:
            self.paths[id(obj)] = path
        layout = _layout_of(kind)  # type: ignore[arg-type]  # classes are hashable
        leaf = _leaf(obj, kind)
        if leaf is not None:
            self.tokens.append(f"{label} {layout.name} {leaf}")
            return ()
        self.composite.append(obj)
        if layout.has_hidden_state or kind is MappingProxyType:
            self.is_accessible = False
        parts = self._sorted(obj) if issubclass(kind, _SETS) else []
        parts += _parts(obj, layout)
        self.tokens.append(f"{label} {layout.name} {len(parts)}")
        return parts

    def _sorted(self, items: Any) -> list[Part]:
        """Return the items of a set, sorted by their own fingerprints."""
        base = set if issubclass(type(items), set) else frozenset
        return [("{}", item) for item in sorted(base.__iter__(items), key=_order)]


def _may_be_id(scalar: object) -> bool:
    return type(scalar) is int and scalar > _MIN_ADDRESS


def _digest(tokens: Sequence[str]) -> bytes:
    return blake2b("\n".join(tokens).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _order(item: object) -> tuple[str, str]:
    scalar = type(item) in _SCALARS
    return type(item).__qualname__, repr(item) if scalar else fingerprint(item).hex()


def _leaf(obj: Any, kind: type) -> str | None:
    """Return the description of an object without parts; None if the object has parts."""
    if kind in _LOCKS:
        return "held" if _is_held(obj, kind) else "free"
    if issubclass(kind, _WEAK):
        return "weak reference"
    if issubclass(kind, type):
        return f"{module_of(obj)}.{qualname_of(obj)}"
    if kind is ModuleType:
        return str(own_fields(obj).get("__name__"))
    if issubclass(kind, Enum):
        return repr(own_fields(obj).get("_name_"))
    if kind is BuiltinFunctionType and type(obj.__self__) in (ModuleType, type(None)):
        return f"{obj.__module__}.{obj.__qualname__}"
    if kind is Pattern:
        return repr(obj)
    if issubclass(kind, (threading.Thread, threading.local)):
        return "of threads"
    return None


def _is_held(lock: Any, kind: type) -> bool:
    if kind is Lock or kind is RLock:
        return lock.holder is not None
    if kind is RealLock:
        return bool(lock.locked())
    return "owner=0" not in repr(lock)


@dataclass(frozen=True, slots=True)
class _Layout:
    """What the objects of one class consist of."""

    name: str
    slots: tuple[tuple[str, MemberDescriptorType], ...]  # names and descriptors of the slots
    has_hidden_state: bool


@lru_cache(maxsize=1_000)
def _layout_of(kind: type) -> _Layout:
    slots: list[tuple[str, MemberDescriptorType]] = []
    if kind not in (FunctionType, MethodType, partial, CellType):  # their parts are known
        slots = [
            (f".{name}", member)
            for base in mro(kind)
            for name, member in fields_of(base).items()
            if type(member) is MemberDescriptorType and name not in ("__dict__", "__weakref__")
        ]
    return _Layout(f"{module_of(kind)}.{qualname_of(kind)}", tuple(slots), _has_hidden_state(kind))


def _parts(obj: Any, layout: _Layout) -> list[Part]:
    """Return the parts of an object, in an order that depends only on its state."""
    kind = type(obj)
    found = list(_contents(obj, kind))
    fields = own_fields(obj)
    if fields:
        found += [(f".{name}", value) for name, value in list(fields.items()) if type(name) is str]
    for name, slot in layout.slots:
        with suppress(AttributeError, TypeError):  # the slot is empty, or belongs to the interpreter
            found.append((name, slot.__get__(obj)))
    if layout.has_hidden_state:
        found += _reduced(obj, kind)
    return found


def _contents(obj: Any, kind: type) -> Iterator[Part]:
    for base in _SEQUENCES:
        if issubclass(kind, base):
            for index, item in enumerate(list(base.__iter__(obj))):
                yield f"[{index}]", item
            return
    if issubclass(kind, dict):
        items = OrderedDict.items(obj) if issubclass(kind, OrderedDict) else dict.items(obj)
        for index, (key, value) in enumerate(list(items)):
            label = f"[{key!r}]" if type(key) in _SCALARS and not _may_be_id(key) else f"[#{index}]"
            yield f"{label} key", key
            yield label, value
        return
    if issubclass(kind, (int, float, complex, str, bytes)):
        yield " value", _value(obj)
    elif issubclass(kind, bytearray):
        yield " value", bytes(obj)
    elif kind is MethodType:
        yield " function", obj.__func__
        yield " object", obj.__self__
    elif kind is FunctionType:
        yield " name", f"{obj.__module__}.{obj.__qualname__}"
        for index, cell in enumerate(obj.__closure__ or ()):
            yield f" cell {index}", cell
    elif kind is CellType:
        try:
            yield "", obj.cell_contents
        except ValueError:
            yield "", "empty"
    elif kind is partial:
        yield " function", obj.func
        yield " arguments", obj.args
        yield " keywords", obj.keywords
    elif kind is MappingProxyType:
        yield " mapping", dict(obj)


def _value(obj: Any) -> Any:
    """Return the scalar that an object of a subclass of a scalar type extends."""
    for base in (int, float, complex, str, bytes):
        if issubclass(type(obj), base):
            convert: Callable[[Any], str] = base.__repr__
            return convert(obj)
    return None


def _has_hidden_state(kind: type) -> bool:
    """Return whether objects of this class store more than attributes, slots and the contents of a container.

    Pickling makes the same comparison: an object that is larger than its known fields was defined in C.
    """
    if issubclass(kind, _KNOWN):
        return False
    slots = sum(type(member) is MemberDescriptorType for base in mro(kind) for member in fields_of(base).values())
    pointers = slots + (dict_offset_of(kind) > 0) + (weak_offset_of(kind) > 0)
    return _basic_size_of(kind) > _basic_size_of(object) + _POINTER * pointers


def _reduced(obj: Any, kind: type) -> list[Part]:
    """Return the state of an object of a class written in C, as it would be pickled."""
    methods = [
        class_attribute(kind, name) for name in ("__reduce__", "__reduce_ex__", "__getstate__", "__getnewargs__")
    ]
    if FunctionType not in map(type, methods):
        with suppress(Exception):  # the object cannot be pickled
            state = methods[1](obj, 2)
            if type(state) is tuple:
                return [(" state", state)]
    return [(" unreadable", next(_unreadable))]
