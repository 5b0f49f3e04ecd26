"""The effects of calls to uninstrumented functions on the containers among the arguments.

C code and uninstrumented Python code access a container without calling a probe. So a call that passes a container
counts as an access to its content: a read if the function is known not to write, and a write otherwise.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from types import BuiltinFunctionType, FunctionType, MemberDescriptorType, MethodType
from typing import Any, NamedTuple

from raddle import probe
from raddle.inspection import class_attribute, fields_of, module_of, mro, name_of, own_fields, qualname_of
from raddle.operation import READ, WRITE, Effect, Kind
from raddle.threads.data_model.filesystem import effect_of_method, effect_on_disk
from raddle.threads.data_model.variables import container_base

# Names of top-level modules, without leading underscores. Their functions take no containers, or only store them or
# pass them on. Also modules whose functions inspect the calling frame (`namedtuple`, `logging`), because that frame
# must not be one of raddle's.
_NEUTRAL_MODULES = frozenset({
    "abc", "asyncio", "atexit", "attr", "attrs", "builtins", "collections", "concurrent", "contextlib", "contextvars",
    "dataclasses", "enum", "faulthandler", "functools", "gc", "greenlet", "hypothesis", "importlib", "inspect",
    "logging", "math", "multiprocessing", "pytest", "queue", "raddle", "signal", "sys", "thread", "threading", "time",
    "traceback", "types", "typing", "unittest", "warnings", "weakref",
})  # fmt: skip
# Modules whose functions only read their arguments.
_READ_ONLY_MODULES = (
    "array", "ast", "base64", "binascii", "codecs", "copy", "csv", "datetime", "decimal", "difflib", "fnmatch",
    "fractions", "glob", "hashlib", "html", "io", "itertools", "json", "marshal", "numbers", "os", "pickle",
    "pprint", "re", "reprlib", "secrets", "shlex", "shutil", "statistics", "string", "tempfile", "textwrap",
    "tokenize", "urllib", "uuid", "zlib",
)  # fmt: skip
# Maps a module whose functions mostly read to the names of its functions that write.
_WRITERS_BY_MODULE: dict[str, frozenset[str]] = {
    **dict.fromkeys(_READ_ONLY_MODULES, frozenset()),
    "bisect": frozenset({"insort", "insort_left", "insort_right"}),
    "operator": frozenset({
        "call", "setitem", "delitem", "iadd", "isub", "imul", "imod", "iand", "ior", "ixor", "imatmul", "iconcat",
        "ipow", "ilshift", "irshift", "itruediv", "ifloordiv",
    }),
    "posix": frozenset({"readv", "preadv"}),
    "random": frozenset({"shuffle"}),
    "struct": frozenset({"pack_into"}),
}  # fmt: skip
# Functions that only read, from modules that are not listed above.
_OTHER_READERS = frozenset({
    ("heapq", "merge"), ("heapq", "nlargest"), ("heapq", "nsmallest"), ("functools", "reduce"), ("math", "fsum"),
    ("math", "prod"), ("math", "dist"), ("math", "sumprod"), ("dataclasses", "asdict"), ("dataclasses", "astuple"),
    ("dataclasses", "replace"),
})  # fmt: skip
_READING_TYPES = frozenset(map(id, (bytes, itertools.product, itertools.permutations, itertools.combinations)))

# Functions that read nested containers or every item of their arguments.
_DEEP_READERS = frozenset({
    ("builtins", "all"), ("builtins", "any"), ("builtins", "format"), ("builtins", "max"), ("builtins", "min"),
    ("builtins", "print"), ("builtins", "repr"), ("builtins", "sorted"), ("builtins", "str"), ("copy", "deepcopy"),
    ("json", "dump"), ("json", "dumps"), ("marshal", "dump"), ("marshal", "dumps"), ("pickle", "dump"),
    ("pickle", "dumps"), ("pprint", "pformat"), ("pprint", "pprint"), ("reprlib", "repr"),
})  # fmt: skip
# Functions that read all attributes of their arguments.
_ATTRIBUTE_READERS = frozenset({
    ("copy", "copy"), ("copy", "deepcopy"), ("copy", "replace"), ("dataclasses", "asdict"), ("dataclasses", "astuple"),
    ("dataclasses", "replace"), ("pickle", "dump"), ("pickle", "dumps"),
})  # fmt: skip
# Functions that create objects without calling a constructor.
_COPIERS = frozenset({
    ("copy", "copy"), ("copy", "deepcopy"), ("copy", "replace"), ("dataclasses", "replace"), ("pickle", "load"),
    ("pickle", "loads"),
})  # fmt: skip
MAX_NESTED = 200  # maximum number of arguments and nested objects inspected per call

# Iterators that read their arguments lazily.
LAZY = frozenset(
    getattr(itertools, name)
    for name in (
        "chain", "islice", "zip_longest", "takewhile", "dropwhile", "filterfalse", "starmap", "accumulate", "groupby",
        "compress", "pairwise", "cycle",
    )
)  # fmt: skip


class CallEffect(NamedTuple):
    """The effect of a call on a container among its arguments, or on files and databases."""

    kind: Kind
    on_disk: bool = False  # True if files or databases are accessed, rather than a container


def effect(called: Any) -> Effect:
    """Return the effect of a call on a container among its arguments; None if there is none or probes report it.

    >>> import heapq, json, operator
    >>> effect(json.dumps), effect(heapq.heappush), effect(operator.getitem), effect(isinstance)
    ('read', 'write', 'read', None)
    """
    cls = type(called)
    if cls is MethodType:  # `random.shuffle` is a method of a hidden `Random` object
        called = called.__func__
        cls = type(called)
    if cls is FunctionType:
        if called.__code__.co_name == "<lambda>" or probe.NAME in called.__globals__:
            return None
    elif issubclass(cls, type):
        return READ if _copies_argument(called) else None
    elif cls is not BuiltinFunctionType:
        return None
    return _by_name(_top_module(called), called.__name__)


def with_nested(given: Sequence[Any]) -> list[Any]:
    """Return the arguments of a call and the objects nested in them, up to `MAX_NESTED` in total.

    >>> inner = [1]
    >>> with_nested([("a", inner)])
    [('a', [1]), 'a', [1], 1]
    """
    found = list(given)
    for one in found:  # the loop appends nested objects
        room = MAX_NESTED - len(found)
        if room <= 0:
            break
        if type(one) is list or type(one) is tuple:
            found += one[:room]
        elif type(one) is dict:
            found += itertools.islice(one.values(), room)
    return found


def attribute_names(obj: Any) -> list[str]:
    """Return the names of an object's own attributes, including its slots.

    >>> attribute_names(type("Point", (), {"__slots__": ("x", "y")})())
    ['x', 'y']
    """
    slots = [
        name
        for kind in mro(type(obj))
        for name, found in fields_of(kind).items()
        if type(found) is MemberDescriptorType and not issubclass(type(obj), type)
    ]
    return [*own_fields(obj), *slots]


def reads_deeply(called: Any) -> bool:
    """Return whether a function reads everything nested in its arguments.

    >>> import json
    >>> reads_deeply(json.dumps), reads_deeply(len)
    (True, False)
    """
    return _origin(called) in _DEEP_READERS


def reads_attributes(called: Any) -> bool:
    """Return whether a function reads all attributes of its arguments.

    >>> import copy
    >>> reads_attributes(copy.copy), reads_attributes(id)
    (True, False)
    """
    return _origin(called) in _ATTRIBUTE_READERS


def copies_objects(called: Any) -> bool:
    """Return whether a function copies an object or restores a pickled one.

    >>> import copy
    >>> copies_objects(copy.copy), copies_objects(id)
    (True, False)
    """
    return _origin(called) in _COPIERS


class EffectCache:
    """Computes the effects of calls, and caches them for functions that live as long as their modules."""

    def __init__(self) -> None:
        # Maps the id of a function to the function (kept alive) and its effect.
        self._cache: dict[int, tuple[Any, CallEffect | None]] = {}

    def of(self, called: Any) -> CallEffect | None:
        """Return the effect of calling a function, or None if the call has none or the function's own probes report it.

        >>> import os
        >>> EffectCache().of(os.mkdir)
        CallEffect(kind='write', on_disk=True)
        """
        cached = self._cache.get(id(called))
        if cached is not None:
            return cached[1]
        cls = type(called)
        if cls is BuiltinFunctionType and called.__module__ is None:
            # A method implemented in C. Its effect on containers is determined elsewhere. The result is not cached,
            # because the cache would keep the method's object alive.
            on_disk = effect_of_method(called.__self__, called.__name__)
            return None if on_disk is None else CallEffect(on_disk, on_disk=True)
        on_disk = effect_on_disk(called)
        kind = on_disk or effect(called)
        found = None if kind is None else CallEffect(kind, on_disk is not None)
        if (
            cls is BuiltinFunctionType
            or (cls is FunctionType and "<locals>" not in called.__qualname__)
            or (issubclass(cls, type) and "<locals>" not in qualname_of(called))
        ):
            self._cache[id(called)] = (called, found)
        return found


def _top_module(called: Any) -> str:
    """Return the top-level module of a function or class, without leading underscores; "" for other callables."""
    kind = type(called)
    if issubclass(kind, type):
        module = module_of(called)
    else:
        module = called.__module__ if kind is FunctionType or kind is BuiltinFunctionType else ""
    return module.partition(".")[0].lstrip("_") if type(module) is str else ""


def _origin(called: Any) -> tuple[str, str]:
    kind = type(called)
    if issubclass(kind, type):
        return _top_module(called), name_of(called)
    return _top_module(called), called.__name__ if kind is FunctionType or kind is BuiltinFunctionType else ""


def _by_name(module_name: str, name: str) -> Effect:
    if (module_name, name) in _OTHER_READERS:
        return READ
    if not module_name or module_name in _NEUTRAL_MODULES:
        return None
    writers = _WRITERS_BY_MODULE.get(module_name)
    return READ if writers is not None and name not in writers else WRITE


def _copies_argument(kind: type) -> bool:
    """Return whether calling a class copies the content of another container without calling a probe."""
    if id(kind) in _READING_TYPES:
        return True
    if container_base(kind) is None:
        return False
    constructor = class_attribute(kind, "__init__")
    return type(constructor) is not FunctionType or probe.NAME not in constructor.__globals__
