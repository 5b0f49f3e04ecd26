"""Installs the patches that make primitives record their operations, and removes them again."""

from __future__ import annotations

import _thread
import functools
import queue
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from raddle import tasks
from raddle.inspection import mro
from raddle.native import pools, primitives, queues, threads
from raddle.native.locks import make_locks
from raddle.native.program import execute
from raddle.native.recorder import Recorder
from raddle.native.signal_exceptions import make_unraisablehook
from raddle.native.tracebacks import make_excepthook, make_walks

_OPERATIONS = {**primitives.OPERATIONS, **queues.OPERATIONS, **pools.OPERATIONS, **threads.OPERATIONS}
_BY_ID = {id(cls): names for cls, names in _OPERATIONS.items()}

_operations_of: dict[int, tuple[type, frozenset[str]]] = {}  # keyed by class id; the value keeps the class alive


def operations(cls: type) -> frozenset[str]:
    """Return the methods of a class that record their own steps.

    >>> sorted(operations(threading.Event)), operations(dict)
    (['clear', 'is_set', 'set', 'wait'], frozenset())
    """
    found = _operations_of.get(id(cls))
    if found is None:
        names = [_BY_ID.get(id(base), frozenset()) for base in mro(cls)]
        found = _operations_of[id(cls)] = cls, frozenset().union(*names)
    return found[1]


def is_primitive(cls: type, name: str) -> bool:
    """Return whether this method of this class records its own steps."""
    return name in operations(cls)


class Patches:
    """The patches that are applied to the standard library during a watch.

    Classes written in Python are patched method by method, so that existing subclasses are patched too. Classes and
    functions implemented in C are replaced in their own modules. A module that has already imported one of them by
    name keeps the original.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._undo: list[Callable[[], None]] = []
        lock, rlock, make_rlock = make_locks(recorder)
        simple_queue = queues.make_simple_queue(recorder)
        self.twins: dict[type, str] = {lock: "Lock", rlock: "RLock", simple_queue: "SimpleQueue"}
        start_new_thread = threads.make_start_new_thread(recorder)
        self._methods = [
            *threads.patches(recorder),
            *primitives.patches(recorder),
            *queues.patches(recorder),
            *pools.patches(recorder),
        ]
        self._names: list[tuple[Any, str, Any]] = [
            (threading, "Lock", lock),
            (threading, "RLock", make_rlock),
            (queue, "SimpleQueue", simple_queue),
            *pools.function_patches(recorder),
            (tasks, tasks.on_task_begin.__name__, recorder.begin_task),
            (threading, "excepthook", make_excepthook()),
            (sys, "unraisablehook", make_unraisablehook()),
            *((traceback, name, walk) for name, walk in make_walks(execute.__code__)),
            (_thread, "start_new_thread", start_new_thread),
            (_thread, "start_new", start_new_thread),
        ]

    def install(self) -> None:
        for owner, name, new in (*self._methods, *self._names):
            self._undo.append(functools.partial(_restore, owner, name, owner.__dict__.get(name, _restore)))
            if isinstance(owner, type) and name in owner.__dict__:
                functools.update_wrapper(new, owner.__dict__[name])
            setattr(owner, name, new)

    def remove(self) -> None:
        while self._undo:
            self._undo.pop()()


def _restore(owner: Any, name: str, old: Any) -> None:
    if old is _restore:  # this value marks a name that did not exist before
        delattr(owner, name)
    else:
        setattr(owner, name, old)
