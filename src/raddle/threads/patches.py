"""Installs the twins in all loaded modules, and removes them again.

Classes written in Python are patched method by method, which also covers existing objects and subclasses. Classes and
functions implemented in C are replaced by name, in their own module and in every module that has imported them
(`from threading import Lock`). Outside an execution, every twin behaves like the original.
"""

from __future__ import annotations

import _queue
import _thread
import concurrent.futures.thread
import os
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from types import FunctionType
from typing import Any

from raddle import probe, tasks
from raddle.engine.carrier import Carrier, getcurrent
from raddle.inspection import fields_of, module_of, own_fields
from raddle.operation import Kind
from raddle.schedulers.calculus import Describe
from raddle.threads.endings import end_process, end_uncontrolled
from raddle.threads.twins import (
    asyncio,
    barrier,
    condition,
    event,
    functools,
    futures,
    iterators,
    local,
    lock,
    queue,
    randomness,
    select,
    semaphore,
    simple_queue,
    thread,
    time,
)
from raddle.threads.twins.adopt import restore_adopted
from raddle.threads.twins.resemblance import resemble

_real_allocate = _thread.allocate_lock
_real_fork = getattr(os, "fork", None)
_real_exit = os._exit


def fork() -> int:
    me = getcurrent()
    if me.__class__ is Carrier:
        end_uncontrolled(me, "the scenario forks, but raddle controls only the threads of one process")
    assert _real_fork is not None
    return int(_real_fork())


def exit_now(status: int) -> None:
    """End only the execution, because the real `os._exit` would end the whole search."""
    me = getcurrent()
    if me.__class__ is Carrier:
        end_process(me, f"exit code {status}")
    _real_exit(status)


def allocate_lock(*args: Any) -> Any:
    """Create a lock, as `_thread.allocate_lock` does.

    Locks of the import system stay real, because only the first execution would use them. The real function accepts no
    arguments; if any are given, it is called so that it raises the usual error.
    """
    if args or sys._getframe(1).f_code.co_filename.startswith("<frozen"):
        return _real_allocate(*args)
    return lock.Lock()


METHODS: tuple[tuple[type, str, Any], ...] = (
    *thread.PATCHES,
    *condition.PATCHES,
    *barrier.PATCHES,
    *event.PATCHES,
    *semaphore.PATCHES,
    *queue.PATCHES,
    *futures.PATCHES,
    *functools.PATCHES,
    *iterators.PATCHES,
    *randomness.PATCHES,
)

NAMES: dict[Any, Any] = {
    **thread.NAMES,
    **time.NAMES,
    **functools.NAMES,
    **futures.NAMES,
    **randomness.NAMES,
    **select.NAMES,
    _thread.allocate_lock: lock.Lock,
    _thread.RLock: lock.RLock,
    threading.RLock: lock.RLock,
    threading.Lock: lock.Lock,
    _thread._local: local.local,
    _queue.SimpleQueue: simple_queue.SimpleQueue,
    _real_exit: exit_now,
}
if _real_fork is not None:
    NAMES[_real_fork] = fork

# Maps a kind of operation to a function that describes what the operation touches and needs. Operations on locks,
# queues and threads are described in `raddle.threads.calculus`.
DESCRIPTIONS: dict[Kind, Describe] = {
    **event.DESCRIPTIONS,
    **semaphore.DESCRIPTIONS,
}

for _owner, _name, _twin in METHODS:
    if type(_twin) is FunctionType and type(_owner.__dict__.get(_name)) is FunctionType:
        resemble(_twin, _owner.__dict__[_name])
for _real, _twin in {**NAMES, _real_allocate: allocate_lock}.items():
    if type(_twin) is FunctionType:
        resemble(_twin, _real)

# Modules that keep the real primitives, because they implement the twins or the twins call them.
_UNPATCHED = ("raddle", "greenlet", "_threading_local", "faulthandler", "importlib", "_frozen_importlib", "_thread")


@cache
def _is_unpatched(name: str) -> bool:
    return name.split(".", 1)[0] in _UNPATCHED


def ids_with_twins() -> set[int]:
    """Return the ids of the objects that are replaced by name."""
    return set(map(id, NAMES)) | set(map(id, asyncio.names()))


class Patches:
    """The installed patches, with functions that undo them."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def install(self, functions: Iterable[FunctionType] = (), with_defaults: Iterable[FunctionType] = ()) -> Patches:
        """Install the twins, also in the closures of `functions` and in the default arguments of `with_defaults`.

        >>> import threading
        >>> real = threading.Lock
        >>> patches = Patches().install()
        >>> threading.Lock is real
        False
        >>> patches.remove()
        >>> threading.Lock is real
        True
        """
        for policy, name, twin in asyncio.fields():
            self._set_field(policy, name, twin)
        for owner, name, twin in (*METHODS, *asyncio.methods()):
            self._set(owner, name, twin)
        twins = {id(real): twin for real, twin in (NAMES | asyncio.names()).items()}
        for module_name, module in list(sys.modules.items()):
            fields = own_fields(module)
            if type(fields) is not dict or _is_unpatched(module_name):
                continue
            values = list(fields.values())
            # Modules have thousands of values, hardly any of which has a twin, so first check all values at once.
            caches = [value for value in values if type(value) is functools.RealCachedFunction]
            if not twins.keys().isdisjoint(map(id, values)) or any(map(functools.twin_of, caches)):
                self._set_twins(fields, twins)
            if probe.NAME in fields:
                self._set_cached_methods(fields)
        for name in ("start_new_thread", "start_new", "get_ident", "get_native_id", "_count", "_local"):
            self._set_field(_thread.__dict__, name, NAMES[_thread.__dict__[name]])
        for name in ("allocate_lock", "allocate"):
            self._set_field(_thread.__dict__, name, allocate_lock)
        # Code without probes acquires this lock when a task is submitted to a pool.
        self._set_field(
            concurrent.futures.thread.__dict__, "_global_shutdown_lock", lock.Lock.twin_for(_real_allocate())
        )
        self._set_field(concurrent.futures._base.__dict__, "id", futures.identify)
        self._set_field(tasks.__dict__, tasks.on_task_begin.__name__, futures.begin_task)
        # These counters restart in each execution. They are set here only so that they are restored at the end.
        self._set_field(threading.__dict__, "_counter", threading.__dict__["_counter"])
        self._set(ThreadPoolExecutor, "_counter", ThreadPoolExecutor.__dict__["_counter"])
        self._set_field(_threading_local_fields(), "current_thread", thread.current_thread)
        for function in with_defaults:
            self._set_defaults(function, twins)
        for cell, twin in functools.cells_of(functions):
            self._undo.append(partial(setattr, cell, "cell_contents", cell.cell_contents))
            cell.cell_contents = twin
        return self

    def _set_twins(self, fields: dict[str, Any], twins: dict[int, Any]) -> None:
        for name, value in list(fields.items()):
            twin = functools.twin_of(value) if type(value) is functools.RealCachedFunction else twins.get(id(value))
            if twin is not None:
                self._set_field(fields, name, twin)

    def _set_defaults(self, function: FunctionType, twins: dict[int, Any]) -> None:
        if _is_unpatched(str(function.__module__)):
            return
        positional, keyword = function.__defaults__, function.__kwdefaults__
        if positional and not twins.keys().isdisjoint(map(id, positional)):
            self._undo.append(partial(setattr, function, "__defaults__", positional))
            function.__defaults__ = tuple([twins.get(id(value), value) for value in positional])
        if keyword and not twins.keys().isdisjoint(map(id, keyword.values())):
            self._undo.append(partial(setattr, function, "__kwdefaults__", keyword))
            function.__kwdefaults__ = {name: twins.get(id(value), value) for name, value in keyword.items()}

    def _set_cached_methods(self, fields: dict[str, Any]) -> None:
        """Replace cached functions in the classes of an instrumented module with their twins."""
        for kind in list(fields.values()):
            if issubclass(type(kind), type) and module_of(kind) == fields.get("__name__"):
                for name, twin in functools.cached_in(fields_of(kind)):
                    self._set(kind, name, twin)

    def _set(self, owner: type, name: str, twin: Any) -> None:
        if name in owner.__dict__:
            real = owner.__dict__[name]
            self._undo.append(lambda: setattr(owner, name, real))
        else:
            self._undo.append(lambda: delattr(owner, name))
        setattr(owner, name, twin)

    def _set_field(self, fields: dict[str, Any], name: str, twin: Any) -> None:
        if name in fields:
            real = fields[name]
            self._undo.append(lambda: fields.__setitem__(name, real))
        else:
            self._undo.append(lambda: fields.__delitem__(name))
        fields[name] = twin

    def remove(self) -> None:
        """Undo all patches."""
        while self._undo:
            self._undo.pop()()
        restore_adopted()
        functools.forget_twins()
        asyncio.stop_switching()


def _threading_local_fields() -> dict[str, Any]:
    import _threading_local

    return _threading_local.__dict__
