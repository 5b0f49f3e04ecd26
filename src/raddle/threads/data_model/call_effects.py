"""What a function without probes does to the containers that it is given.

Code in C, and Python code that is not instrumented, works on a container without telling. So a call that hands one
over counts as an access to its content: a read by functions that are known to look only, else a write.
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

# By top-level module, without underscores before it: what keeps its arguments, hands them on to others or takes no
# containers, and what asks who called it (`namedtuple`, `logging`), which must not find us.
_HANDING_ON = frozenset({
    "abc", "asyncio", "atexit", "attr", "attrs", "builtins", "collections", "concurrent", "contextlib", "contextvars",
    "dataclasses", "enum", "faulthandler", "functools", "gc", "greenlet", "hypothesis", "importlib", "inspect",
    "logging", "math", "multiprocessing", "pytest", "queue", "raddle", "signal", "sys", "thread", "threading", "time",
    "traceback", "types", "typing", "unittest", "warnings", "weakref",
})  # fmt: skip
# Functions that change nothing, but for those listed.
_ONLY_LOOKING = (
    "array", "ast", "base64", "binascii", "codecs", "copy", "csv", "datetime", "decimal", "difflib", "fnmatch",
    "fractions", "glob", "hashlib", "html", "io", "itertools", "json", "marshal", "numbers", "os", "pickle",
    "pprint", "re", "reprlib", "secrets", "shlex", "shutil", "statistics", "string", "tempfile", "textwrap",
    "tokenize", "urllib", "uuid", "zlib",
)  # fmt: skip
_LOOKING: dict[str, frozenset[str]] = {
    **dict.fromkeys(_ONLY_LOOKING, frozenset()),
    "bisect": frozenset({"insort", "insort_left", "insort_right"}),
    "operator": frozenset({
        "call", "setitem", "delitem", "iadd", "isub", "imul", "imod", "iand", "ior", "ixor", "imatmul", "iconcat",
        "ipow", "ilshift", "irshift", "itruediv", "ifloordiv",
    }),
    "posix": frozenset({"readv", "preadv"}),
    "random": frozenset({"shuffle"}),
    "struct": frozenset({"pack_into"}),
}  # fmt: skip
_LOOKING_TOO = frozenset({
    ("heapq", "merge"), ("heapq", "nlargest"), ("heapq", "nsmallest"), ("functools", "reduce"), ("math", "fsum"),
    ("math", "prod"), ("math", "dist"), ("math", "sumprod"), ("dataclasses", "asdict"), ("dataclasses", "astuple"),
    ("dataclasses", "replace"),
})  # fmt: skip
_LOOKING_TYPES = frozenset(map(id, (bytes, itertools.product, itertools.permutations, itertools.combinations)))

# What looks at all that is inside of what it is given, however deep, or at each item of it.
_DEEPLY = frozenset({
    ("builtins", "all"), ("builtins", "any"), ("builtins", "format"), ("builtins", "max"), ("builtins", "min"),
    ("builtins", "print"), ("builtins", "repr"), ("builtins", "sorted"), ("builtins", "str"), ("copy", "deepcopy"),
    ("json", "dump"), ("json", "dumps"), ("marshal", "dump"), ("marshal", "dumps"), ("pickle", "dump"),
    ("pickle", "dumps"), ("pprint", "pformat"), ("pprint", "pprint"), ("reprlib", "repr"),
})  # fmt: skip
# What reads all attributes of an object that it is given.
_COPYING = frozenset({
    ("copy", "copy"), ("copy", "deepcopy"), ("copy", "replace"), ("dataclasses", "asdict"), ("dataclasses", "astuple"),
    ("dataclasses", "replace"), ("pickle", "dump"), ("pickle", "dumps"),
})  # fmt: skip
# What makes new objects from others, past their constructors.
_REPRODUCING = frozenset({
    ("copy", "copy"), ("copy", "deepcopy"), ("copy", "replace"), ("dataclasses", "replace"), ("pickle", "load"),
    ("pickle", "loads"),
})  # fmt: skip
MAX_INSIDE = 200  # things that are looked at

# Iterators over what they are given.
LAZY = frozenset(
    getattr(itertools, name)
    for name in (
        "chain", "islice", "zip_longest", "takewhile", "dropwhile", "filterfalse", "starmap", "accumulate", "groupby",
        "compress", "pairwise", "cycle",
    )
)  # fmt: skip


class CallEffect(NamedTuple):
    """What a call does to a container among its arguments, or to the disk."""

    kind: Kind
    on_disk: bool = False


def effect(called: Any) -> Effect:
    """Return what calling a function does to a container among its arguments; None where its own probes tell.

    >>> import heapq, json, operator
    >>> effect(json.dumps), effect(heapq.heappush), effect(operator.getitem), effect(isinstance)
    ('read', 'write', 'read', None)
    """
    cls = type(called)
    if cls is MethodType:  # `random.shuffle` is a method of a generator that the module keeps
        called = called.__func__
        cls = type(called)
    if cls is FunctionType:
        if called.__code__.co_name == "<lambda>" or probe.NAME in called.__globals__:
            return None
    elif issubclass(cls, type):
        return READ if _copies(called) else None
    elif cls is not BuiltinFunctionType:
        return None
    return _by_name(_top(called), called.__name__)


def everything_in(given: Sequence[Any]) -> list[Any]:
    """What is given to a function that looks deeply, and what is inside of that.

    >>> inner = [1]
    >>> everything_in([("a", inner)])
    [('a', [1]), 'a', [1], 1]
    """
    found = list(given)
    for one in found:  # grows
        room = MAX_INSIDE - len(found)
        if room <= 0:
            break
        if type(one) is list or type(one) is tuple:
            found += one[:room]
        elif type(one) is dict:
            found += itertools.islice(one.values(), room)
    return found


def names_of(obj: Any) -> list[str]:
    """The attributes that an object can have of its own.

    >>> names_of(type("Point", (), {"__slots__": ("x", "y")})())
    ['x', 'y']
    """
    slots = [
        name
        for kind in mro(type(obj))
        for name, found in fields_of(kind).items()
        if type(found) is MemberDescriptorType and not issubclass(type(obj), type)
    ]
    return [*own_fields(obj), *slots]


def looks_deeply(called: Any) -> bool:
    """Does it look at all that is inside of its arguments?

    >>> import json
    >>> looks_deeply(json.dumps), looks_deeply(len)
    (True, False)
    """
    return _origin(called) in _DEEPLY


def reads_attributes(called: Any) -> bool:
    """Does it read all attributes of the objects that it is given?

    >>> import copy
    >>> reads_attributes(copy.copy), reads_attributes(id)
    (True, False)
    """
    return _origin(called) in _COPYING


def copies_objects(called: Any) -> bool:
    """Return whether a function makes a new object from another one, or from what was stored of one.

    >>> import copy
    >>> copies_objects(copy.copy), copies_objects(id)
    (True, False)
    """
    return _origin(called) in _REPRODUCING


class EffectCache:
    """What calls do, remembered for functions that live as long as their modules."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, CallEffect | None]] = {}  # by id: the function, kept alive

    def of(self, called: Any) -> CallEffect | None:
        """Return what calling a function does; None where its own probes tell.

        >>> import os
        >>> EffectCache().of(os.mkdir)
        CallEffect(kind='write', on_disk=True)
        """
        known = self._known.get(id(called))
        if known is not None:
            return known[1]
        cls = type(called)
        if cls is BuiltinFunctionType and called.__module__ is None:
            # A method in C: it can only have an effect on the disk. Remembering it would keep its object alive.
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
            self._known[id(called)] = (called, found)
        return found


def _top(called: Any) -> str:
    """The top-level module that it is from, without underscores before it; "" for an object that can be called."""
    kind = type(called)
    if issubclass(kind, type):
        module = module_of(called)
    else:
        module = called.__module__ if kind is FunctionType or kind is BuiltinFunctionType else ""
    return module.partition(".")[0].lstrip("_") if type(module) is str else ""


def _origin(called: Any) -> tuple[str, str]:
    kind = type(called)
    if issubclass(kind, type):
        return _top(called), name_of(called)
    return _top(called), called.__name__ if kind is FunctionType or kind is BuiltinFunctionType else ""


def _by_name(top: str, name: str) -> Effect:
    if (top, name) in _LOOKING_TOO:
        return READ
    if not top or top in _HANDING_ON:
        return None
    changing = _LOOKING.get(top)
    return READ if changing is not None and name not in changing else WRITE


def _copies(kind: type) -> bool:
    """Is it made from what is in another container, at once and by code without probes?"""
    if id(kind) in _LOOKING_TYPES:
        return True
    if container_base(kind) is None:
        return False
    maker = class_attribute(kind, "__init__")
    return type(maker) is not FunctionType or probe.NAME not in maker.__globals__
