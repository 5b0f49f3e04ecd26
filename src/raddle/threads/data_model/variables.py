"""What is a variable? Which attributes, which containers, which of their methods only look."""

from __future__ import annotations

import _thread
import _threading_local
import io
import types
import weakref
from collections import Counter, OrderedDict, deque
from functools import cached_property
from typing import Any

from raddle import env, probe
from raddle.inspection import MISSING, class_attribute, fields_of, module_of, mro, own_fields, qualname_of
from raddle.instrument.model.evidence import READERS, WRITERS
from raddle.operation import READ, WRITE, Effect

UNKNOWN = object()  # the value of an access that is a look at a whole container

_DICT = frozenset({"get", "keys", "values", "items", "copy"})
_SET = "copy union intersection difference symmetric_difference issubset issuperset isdisjoint"
_BUILT_IN: dict[type, frozenset[str]] = {
    list: frozenset({"index", "count", "copy"}),
    dict: _DICT,
    OrderedDict: _DICT,
    Counter: _DICT | {"elements", "most_common", "total"},
    set: frozenset(_SET.split()),
    deque: frozenset({"count", "index", "copy"}),
    bytearray: frozenset(name for name in dir(bytes) if not name.startswith("_")) | {"copy"},  # bytes only look
    io.StringIO: frozenset({"getvalue", "tell"}),
    io.BytesIO: frozenset({"getvalue", "tell"}),
}
BUILT_IN = tuple(_BUILT_IN)
_READERS: dict[int, frozenset[str]] = {id(kind): names for kind, names in _BUILT_IN.items()}  # by id of the class
# Objects of the standard library that are no containers, but change with what is done to them, by code without probes:
# by module and name, as few programs have them; and their methods that only look. No files: what is a variable is kept
# until the execution ends, and a file that nobody has any more is closed.
_HASH = frozenset({"copy", "digest", "hexdigest"})
_STATEFUL: dict[tuple[str, str], frozenset[str]] = {
    **dict.fromkeys([("_hashlib", "HASH"), ("_blake2", "blake2b"), ("_blake2", "blake2s"), ("hmac", "HMAC")], _HASH),
    **dict.fromkeys([("csv", "DictWriter"), ("_csv", "writer"), ("_csv", "Writer")], frozenset()),
    ("random", "Random"): frozenset({"getstate"}),
    **dict.fromkeys([("zlib", "Compress"), ("zlib", "Decompress")], frozenset({"copy"})),
}
_LOOKING = (
    "add and bool contains eq format ge getitem getstate gt hash iter le len lt mul ne or rand reduce reduce_ex repr "
    "reversed rmul ror rsub rxor sizeof str sub xor"
)
_LOOKING_DUNDERS = frozenset(f"__{name}__" for name in _LOOKING.split())
# They are about the object, not about what is in it.
_OTHER_DUNDERS = frozenset(
    {"__class__", "__delattr__", "__dir__", "__getattribute__", "__init_subclass__", "__setattr__"}
)
_CHANGING_DUNDERS = frozenset({"__setitem__", "__delitem__", "__ior__", "__iadd__"})
_some: tuple[dict[str, int], ...] = ({}, OrderedDict())
VIEW_TYPES = frozenset(id(type(view)) for one in _some for view in (one.keys(), one.values(), one.items()))  # by id

_LOCALS = (_thread._local, _threading_local.local)  # each thread has attributes of its own

# Containers that never change, and things that only look like containers.
_IMMUTABLE = (str, bytes, tuple, range, *env.FROZEN_TYPES, types.MappingProxyType, memoryview, type)

_containers: dict[int, tuple[type, type | None]] = {}  # by id: the class, kept alive, and its base
_stateful: list[type] = []  # classes that `_READERS` has besides the built-in ones, kept alive
MAX_KINDS = 5_000


def container_base(kind: type) -> type | None:
    """The container without probes that a type is or extends: one of C's, or of a module that has none.

    >>> container_base(dict), container_base(tuple), container_base(type("L", (list,), {}))
    (<class 'dict'>, None, <class 'list'>)
    """
    try:
        return _containers[id(kind)][1]
    except KeyError:
        if len(_containers) >= MAX_KINDS:  # each execution may make classes of its own, and they stay alive here
            _containers.clear()
        found = _find_base(kind)
        _containers[id(kind)] = kind, found
        return found


def _find_base(kind: type) -> type | None:
    for base in mro(kind):
        if id(base) in _READERS:
            return base
        readers = _STATEFUL.get((module_of(base), qualname_of(base)))
        if readers is not None:
            _READERS[id(base)] = readers
            _stateful.append(base)
            return base
    if issubclass(kind, _IMMUTABLE):
        return None
    for base in mro(kind):  # arrays, `UserDict`, `WeakSet`...: whatever keeps items by code without probes
        fields = fields_of(base)
        setter = fields.get("__setitem__", fields.get("discard"))
        if setter is not None and not _is_seen(setter):
            return base
    return None


def _is_seen(setter: Any) -> bool:
    """Does what it does show, or does it do nothing?"""
    if type(setter) is not types.FunctionType:
        return False
    return probe.NAME in setter.__globals__ or getattr(setter, "__isabstractmethod__", False)


def effect_of_method(kind: type, base: type, found: Any, name: str) -> Effect:
    """Return what calling a method of a container does to its content; None where its own probes tell.

    Methods of C that nobody knows are taken to change it, and so are those without probes that a subclass of something
    of C's has. Other methods in Python can be anything, and are left alone.

    >>> items: list[int] = []
    >>> [effect_of_method(list, list, getattr(items, name), name) for name in ("append", "count")]
    ['write', 'read']
    >>> from collections import ChainMap
    >>> [effect_of_method(ChainMap, ChainMap, getattr(ChainMap(), name), name) for name in ("pop", "get", "new_child")]
    ['write', 'read', None]
    """
    if id(kind) in _READERS:
        return effect_by_name(kind, name)
    function = found.__func__ if type(found) is types.MethodType else None
    if type(function) is types.FunctionType:
        if id(base) in _READERS:  # of a subclass, as `Counter.update`; those that have probes tell themselves
            return None if probe.NAME in function.__globals__ else effect_by_name(base, name)
        return effect_by_name(base, name) if function is class_attribute(base, name) else None
    if kind is not base and function is not None:
        return None
    return effect_by_name(base, name)


def effect_by_name(base: type, name: str) -> Effect:
    """Return the same for a method of the container itself, by its name.

    >>> effect_by_name(dict, "get"), effect_by_name(dict, "setdefault")
    ('read', 'write')
    """
    readers = _READERS.get(id(base))
    if name in _OTHER_DUNDERS:
        return None
    if name in _LOOKING_DUNDERS or (readers is not None and name in readers):
        return READ
    if readers is not None or not is_in_python(base):
        return WRITE
    return WRITE if name in WRITERS or name in _CHANGING_DUNDERS else READ if name in READERS else None


def is_in_python(base: type) -> bool:
    """Is the container written in Python? Then its methods are functions like others.

    >>> from collections import UserDict
    >>> is_in_python(UserDict), is_in_python(dict)
    (True, False)
    """
    fields = fields_of(base)
    return type(fields.get("__setitem__", fields.get("discard"))) is types.FunctionType


def stores_missing_keys(kind: type) -> bool:
    """Does looking up what is missing in such a mapping store something?

    >>> from collections import Counter, defaultdict
    >>> stores_missing_keys(dict), stores_missing_keys(defaultdict), stores_missing_keys(Counter)
    (False, True, False)
    """
    missing = class_attribute(kind, "__missing__")
    return missing is not None and missing is not Counter.__missing__


def is_iterator(obj: object) -> bool:
    """Is it an iterator of C's, or a generator: a datum that changes with each `next`?

    >>> is_iterator(iter([])), is_iterator(range(3))
    (True, False)
    """
    kind = type(obj)
    if any(kind is proxy for proxy in weakref.ProxyTypes):  # which have everything, whatever is behind
        return False
    return type(class_attribute(kind, "__next__")) is types.WrapperDescriptorType


def runs_python(called: object) -> bool:
    """Does a call run code in which others can come in between?

    >>> runs_python(lambda: 1), runs_python(list), runs_python(type("C", (), {"__init__": lambda self: None}))
    (True, False, True)
    """
    if issubclass(type(called), type):
        called = class_attribute(called, "__init__")  # type: ignore[arg-type] # it is a class
    return type(called) is types.FunctionType or type(called) is types.MethodType


_METHODS = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
    types.ClassMethodDescriptorType, classmethod, staticmethod, property,
)  # fmt: skip


def attribute_owner(obj: Any, name: str) -> Any:
    """Whose variable `obj.name` is: the object's, its class's, or (None) nobody's, as with a method.

    >>> class A:
    ...     limit = 3
    ...     def f(self): ...
    >>> a = A()
    >>> attribute_owner(a, "x") is a, attribute_owner(a, "limit") is A, attribute_owner(a, "f")
    (True, True, None)
    """
    if name[:2] == "__" and name[-2:] == "__":
        return None
    if issubclass(type(obj), types.ModuleType):
        names = own_fields(obj)
        return None if issubclass(type(names.get(name)), (types.ModuleType, *_METHODS, type)) else names
    if issubclass(type(obj), type):
        for kind in mro(obj):
            if name in fields_of(kind):
                return None if _is_machinery(fields_of(kind)[name]) else kind
        return obj
    if issubclass(type(obj), (super, *_LOCALS)):
        return None
    for kind in mro(type(obj)):
        if name in fields_of(kind):
            found = fields_of(kind)[name]
            if type(found) is types.MemberDescriptorType or _is_of_ctypes(found):
                return obj  # __slots__, say
            if _takes_values(found):
                return None  # it comes before anything that the object has
            # A cached property is kept by the object once it was asked for.
            if name in own_fields(obj) or issubclass(type(found), cached_property):
                return obj
            return None if _is_machinery(found) else kind
    return obj


def written_owner(obj: Any, name: str) -> Any:
    """Whose variable `obj.name = ...` writes: the object's own, or (None) nobody's, as where a property takes it.

    No code of anybody's runs to find out: descriptors are looked at, not asked.

    >>> class A:
    ...     limit = 3
    ...     size = property(lambda self: 1)
    >>> a = A()
    >>> written_owner(a, "limit") is a, written_owner(a, "size")
    (True, None)
    """
    if issubclass(type(obj), _LOCALS):
        return None
    for kind in mro(type(obj)):
        if name in fields_of(kind):
            return attribute_owner(obj, name) if _takes_values(fields_of(kind)[name]) else obj
    return obj


def _takes_values(found: Any) -> bool:
    """Whether it is a descriptor that comes before the object's own attributes."""
    return class_attribute(type(found), "__set__", MISSING) is not MISSING


def _is_of_ctypes(found: Any) -> bool:
    """Whether this is the value of a `ctypes` number, or a field of a structure."""
    kind = found.__objclass__ if type(found) is types.GetSetDescriptorType else type(found)
    return module_of(kind) in ("_ctypes", "ctypes")  # fields moved to the public module in 3.14


def _is_machinery(found: Any) -> bool:
    """Methods, properties, other descriptors, nested classes: code rather than data."""
    kind = type(found)
    if issubclass(kind, (*_METHODS, type, types.GetSetDescriptorType)):
        return True
    return class_attribute(kind, "__get__", MISSING) is not MISSING
