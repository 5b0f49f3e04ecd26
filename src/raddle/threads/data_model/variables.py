"""The definition of a variable: which attributes and containers are variables, and which methods only read them."""

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

UNKNOWN = object()  # reported as the value if a container is accessed as a whole

_DICT = frozenset({"get", "keys", "values", "items", "copy"})
_SET = "copy union intersection difference symmetric_difference issubset issuperset isdisjoint"
_BUILT_IN: dict[type, frozenset[str]] = {
    list: frozenset({"index", "count", "copy"}),
    dict: _DICT,
    OrderedDict: _DICT,
    Counter: _DICT | {"elements", "most_common", "total"},
    set: frozenset(_SET.split()),
    deque: frozenset({"count", "index", "copy"}),
    bytearray: frozenset(name for name in dir(bytes) if not name.startswith("_"))
    | {"copy"},  # methods of bytes only read
    io.StringIO: frozenset({"getvalue", "tell"}),
    io.BytesIO: frozenset({"getvalue", "tell"}),
}
BUILT_IN = tuple(_BUILT_IN)
# Maps the id of a class to its methods that only read.
_READERS: dict[int, frozenset[str]] = {id(kind): names for kind, names in _BUILT_IN.items()}
# Standard library classes that are not containers but whose state is changed by code without probes. The dict maps each
# class to its methods that only read. The key is the module and name of the class, because few programs import it.
# Files are not included: a variable's owner is kept alive until the execution ends, but an unreferenced file must be
# closed immediately.
_HASH = frozenset({"copy", "digest", "hexdigest"})
_STATEFUL: dict[tuple[str, str], frozenset[str]] = {
    **dict.fromkeys([("_hashlib", "HASH"), ("_blake2", "blake2b"), ("_blake2", "blake2s"), ("hmac", "HMAC")], _HASH),
    **dict.fromkeys([("csv", "DictWriter"), ("_csv", "writer"), ("_csv", "Writer")], frozenset()),
    ("random", "Random"): frozenset({"getstate"}),
    **dict.fromkeys([("zlib", "Compress"), ("zlib", "Decompress")], frozenset({"copy"})),
}
_READING_NAMES = (
    "add and bool contains eq format ge getitem getstate gt hash iter le len lt mul ne or rand reduce reduce_ex repr "
    "reversed rmul ror rsub rxor sizeof str sub xor"
)
_READING_DUNDERS = frozenset(f"__{name}__" for name in _READING_NAMES.split())
# Special methods that concern the object rather than its content.
_OTHER_DUNDERS = frozenset(
    {"__class__", "__delattr__", "__dir__", "__getattribute__", "__init_subclass__", "__setattr__"}
)
_WRITING_DUNDERS = frozenset({"__setitem__", "__delitem__", "__ior__", "__iadd__"})
_empty_dicts: tuple[dict[str, int], ...] = ({}, OrderedDict())
# Ids of the classes of dictionary views.
VIEW_TYPES = frozenset(id(type(view)) for one in _empty_dicts for view in (one.keys(), one.values(), one.items()))

_LOCALS = (_thread._local, _threading_local.local)  # classes whose objects have separate attributes in each thread

# Immutable containers, and classes that only resemble containers.
_IMMUTABLE = (str, bytes, tuple, range, *env.FROZEN_TYPES, types.MappingProxyType, memoryview, type)

# Maps the id of a class to the class (kept alive) and its container base.
_containers: dict[int, tuple[type, type | None]] = {}
_stateful: list[type] = []  # classes added to `_READERS`, kept alive so that their ids stay valid
MAX_CLASSES = 5_000  # number of classes at which a cache is cleared


def container_base(kind: type) -> type | None:
    """Return the uninstrumented container class among a class and its bases, or None if there is none.

    >>> container_base(dict), container_base(tuple), container_base(type("L", (list,), {}))
    (<class 'dict'>, None, <class 'list'>)
    """
    try:
        return _containers[id(kind)][1]
    except KeyError:
        if len(_containers) >= MAX_CLASSES:  # each execution may create classes, and the cache keeps them alive
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
    for base in mro(kind):  # classes whose items are stored by code without probes: arrays, `UserDict`, `WeakSet`...
        fields = fields_of(base)
        setter = fields.get("__setitem__", fields.get("discard"))
        if setter is not None and not _is_visible(setter):
            return base
    return None


def _is_visible(setter: Any) -> bool:
    """Return whether a method is instrumented or abstract."""
    if type(setter) is not types.FunctionType:
        return False
    return probe.NAME in setter.__globals__ or getattr(setter, "__isabstractmethod__", False)


def effect_of_method(kind: type, base: type, found: Any, name: str) -> Effect:
    """Return the effect of a method call on a container's content; None if there is none or probes report it.

    Unknown methods count as writes if they are implemented in C, or if they have no probes and belong to a subclass of
    a container implemented in C. Other Python methods can do anything and are ignored.

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
        # A method of a subclass, such as `Counter.update`. If it is instrumented, its own probes report its accesses.
        if id(base) in _READERS:
            return None if probe.NAME in function.__globals__ else effect_by_name(base, name)
        return effect_by_name(base, name) if function is class_attribute(base, name) else None
    if kind is not base and function is not None:
        return None
    return effect_by_name(base, name)


def effect_by_name(base: type, name: str) -> Effect:
    """Return the effect of a container class's own method, given its name, or None if it has none.

    >>> effect_by_name(dict, "get"), effect_by_name(dict, "setdefault")
    ('read', 'write')
    """
    readers = _READERS.get(id(base))
    if name in _OTHER_DUNDERS:
        return None
    if name in _READING_DUNDERS or (readers is not None and name in readers):
        return READ
    if readers is not None or not is_in_python(base):
        return WRITE
    return WRITE if name in WRITERS or name in _WRITING_DUNDERS else READ if name in READERS else None


def is_in_python(base: type) -> bool:
    """Return whether a container class is written in Python.

    >>> from collections import UserDict
    >>> is_in_python(UserDict), is_in_python(dict)
    (True, False)
    """
    fields = fields_of(base)
    return type(fields.get("__setitem__", fields.get("discard"))) is types.FunctionType


def stores_missing_keys(kind: type) -> bool:
    """Return whether looking up a missing key in a mapping may store a value.

    >>> from collections import Counter, defaultdict
    >>> stores_missing_keys(dict), stores_missing_keys(defaultdict), stores_missing_keys(Counter)
    (False, True, False)
    """
    missing = class_attribute(kind, "__missing__")
    return missing is not None and missing is not Counter.__missing__


def is_iterator(obj: object) -> bool:
    """Return whether an object is a generator or an iterator implemented in C, whose state each `next` changes.

    >>> is_iterator(iter([])), is_iterator(range(3))
    (True, False)
    """
    kind = type(obj)
    # The classes of weak proxies have every special method, even if the proxied object does not.
    if any(kind is proxy for proxy in weakref.ProxyTypes):
        return False
    return type(class_attribute(kind, "__next__")) is types.WrapperDescriptorType


def runs_python(called: object) -> bool:
    """Return whether a call runs Python code, during which other threads can run.

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
    """Return the object or class that owns the variable `obj.name`; None if there is no such variable, as for a method.

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
                return None if _is_code(fields_of(kind)[name]) else kind
        return obj
    if issubclass(type(obj), (super, *_LOCALS)):
        return None
    for kind in mro(type(obj)):
        if name in fields_of(kind):
            found = fields_of(kind)[name]
            if type(found) is types.MemberDescriptorType or _is_of_ctypes(found):
                return obj  # `__slots__`, or a field of a `ctypes` structure
            if _is_data_descriptor(found):
                return None  # a data descriptor takes precedence over the object's own attributes
            # The value of a cached property is stored in the object when it is first read.
            if name in own_fields(obj) or issubclass(type(found), cached_property):
                return obj
            return None if _is_code(found) else kind
    return obj


def written_owner(obj: Any, name: str) -> Any:
    """Return the owner of the variable that `obj.name = ...` writes, or None if there is none, as for a property.

    None of the program's code runs: descriptors are inspected but not called.

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
            return attribute_owner(obj, name) if _is_data_descriptor(fields_of(kind)[name]) else obj
    return obj


def _is_data_descriptor(found: Any) -> bool:
    """Return whether a class attribute is a data descriptor, which takes precedence over the object's attributes."""
    return class_attribute(type(found), "__set__", MISSING) is not MISSING


def _is_of_ctypes(found: Any) -> bool:
    """Return whether a class attribute is the value of a `ctypes` number or a field of a `ctypes` structure."""
    kind = found.__objclass__ if type(found) is types.GetSetDescriptorType else type(found)
    return module_of(kind) in ("_ctypes", "ctypes")  # fields moved to the public module in 3.14


def _is_code(found: Any) -> bool:
    """Return whether a class attribute is code rather than data: a method, a descriptor or a nested class."""
    kind = type(found)
    if issubclass(kind, (*_METHODS, type, types.GetSetDescriptorType)):
        return True
    return class_attribute(kind, "__get__", MISSING) is not MISSING
