"""Twins of the caches in `functools`: a cache is a variable that threads share.

A lookup reads the variable. If the key is missing, the function runs, and the result is stored when its body ends. In
between, another thread can compute the same result. The lookup is reported at the site where the body begins. The store
is reported by the probe where the body ends, because C code calls the function and stores the result right afterwards.
"""

from __future__ import annotations

import dis
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

from raddle import env, probe
from raddle.engine.carrier import Carrier, getcurrent
from raddle.threads.twins.adopt import adopt_lock_of

RealCachedFunction: Any = functools._lru_cache_wrapper
_real_get: Callable[..., Any] = functools.cached_property.__get__


class Lookup(NamedTuple):
    """A cache lookup by a thread that is now computing the missing result."""

    leave: int  # the site at which the store of the result is reported
    owner: object
    name: str


storing_sites: set[int] = set()  # sites where a result may be stored; probes hold a reference to this set
_sites: dict[CodeType, tuple[int, int]] = {}  # maps a function's code to the sites where its body begins and ends


def sites_of(function: Any) -> tuple[int, int] | None:
    """Return the sites where a function's body begins and ends, or None if it has no probes.

    >>> sites_of(len)
    """
    code = getattr(function, "__code__", None)
    if code is None or probe.NAME not in code.co_names:
        return None
    if code not in _sites:
        numbers: dict[Any, int] = {}
        called = None
        for instruction in dis.get_instructions(code):
            if isinstance(instruction.argval, int) and called in ("enter", "leave"):
                numbers.setdefault(called, instruction.argval)
            called = instruction.argval
        if "enter" not in numbers or "leave" not in numbers:
            return None
        _sites[code] = numbers["enter"], numbers["leave"]
    storing_sites.add(_sites[code][1])
    return _sites[code]


class CachedFunction:
    """The twin of the wrapper that `lru_cache` and `cache` return, for an instrumented function."""

    _real: Any
    _function: Any
    _token: object  # the owner of the variable that represents the cache
    _variable: str

    def __new__(cls, function: Any, maxsize: Any, typed: Any, cache_info_type: Any) -> Any:
        real = RealCachedFunction(function, maxsize, typed, cache_info_type)
        return real if sites_of(function) is None else cls.twin(real, function)

    @classmethod
    def twin(cls, real: Any, function: Any) -> CachedFunction:
        self = object.__new__(cls)
        self.__dict__.update(real.__dict__)
        self._real, self._function, self._token = real, function, object()
        self._variable = f"cache of {function.__name__}"
        return self

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        me = getcurrent()
        sites = sites_of(self._function) if me.__class__ is Carrier else None
        if sites is None:
            return self._real(*args, **kwargs)
        enter, leave = sites
        probe.read_name(self._token, self._variable, enter)
        with _recorded_lookup(Lookup(leave, self._token, self._variable)):
            return self._real(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def cache_info(self) -> Any:
        self._probe_cache("read_name")
        return self._real.cache_info()

    def cache_clear(self) -> None:
        self._probe_cache("write_name", None)
        self._real.cache_clear()

    def _probe_cache(self, name: str, *value: object) -> None:
        sites = sites_of(self._function) if getcurrent().__class__ is Carrier else None
        if sites is not None:
            getattr(probe, name)(*value, self._token, self._variable, sites[0])

    def __reduce__(self) -> Any:
        return self._real.__reduce__()

    def __copy__(self) -> CachedFunction:
        return self

    def __deepcopy__(self, memo: object) -> CachedFunction:
        return self

    def __repr__(self) -> str:
        return repr(self._real)


@contextmanager
def _recorded_lookup(lookup: Lookup) -> Iterator[None]:
    state = getcurrent().own  # type: ignore[attr-defined]
    state.lookups += (lookup,)
    try:
        yield
    finally:
        state.lookups = state.lookups[:-1]


def note_stored(site: int) -> None:
    """Report a write to the cache if the body that ends at this site computes a missing result."""
    me = getcurrent()
    if me.__class__ is Carrier and me.own.lookups and me.own.lookups[-1].leave == site:
        _, owner, name = me.own.lookups[-1]
        probe.write_name(None, owner, name, site)


def get(self: Any, instance: Any, owner: Any = None) -> Any:
    """Compute a cached property, as `cached_property.__get__` does if the object has no stored value."""
    me = getcurrent()
    if me.__class__ is not Carrier or instance is None:
        return _real_get(self, instance, owner)
    if env.CACHED_PROPERTIES_LOCK:
        adopt_lock_of(self)
    sites = sites_of(self.func)
    if sites is None:
        return _real_get(self, instance, owner)
    with _recorded_lookup(Lookup(sites[1], instance, self.attrname)):
        return _real_get(self, instance, owner)


PATCHES: tuple[tuple[type, str, Any], ...] = ((functools.cached_property, "__get__", get),)
NAMES: dict[Any, Any] = {RealCachedFunction: CachedFunction}


def cached_in(fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the names of existing cached functions in a namespace, with their twins."""
    for name, value in list(fields.items()):
        twin = twin_of(value)
        if twin is not None:
            yield name, twin


_twins: dict[int, tuple[Any, Any]] = {}  # maps the id of a cached function to the function (kept alive) and its twin


def twin_of(value: Any) -> Any:
    """Return the twin of an existing cached function; None if it has no probes or is not a cached function."""
    if issubclass(type(value), (classmethod, staticmethod)):
        twin = twin_of(value.__func__)
        return None if twin is None else type(value)(twin)
    if type(value) is not RealCachedFunction:
        return None
    if id(value) not in _twins:
        function = value.__wrapped__
        if sites_of(function) is None:
            return None
        _twins[id(value)] = (value, CachedFunction.twin(value, function))
    return _twins[id(value)][1]


def forget_twins() -> None:
    """Drop all twins and sites at the end of a run."""
    _twins.clear()
    _sites.clear()
    storing_sites.clear()


def cells_of(functions: Iterable[FunctionType]) -> Iterator[tuple[Any, Any]]:
    """Yield the closure cells that hold existing cached functions, with their twins."""
    for function in functions:
        for cell in function.__closure__ or ():
            try:
                twin = twin_of(cell.cell_contents)
            except ValueError:  # the cell is empty
                continue
            if twin is not None:
                yield cell, twin
