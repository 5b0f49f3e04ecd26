"""Behaviors that differ between the supported interpreters: CPython 3.11 to 3.15, with and without the GIL.

Each difference has one name here, with the version that brought it and how we know. Other modules use the names and
never compare versions, so supporting another interpreter begins, and mostly ends, in this file.
"""

from __future__ import annotations

import builtins
import sys
import sysconfig
from typing import Final

VERSION: Final = sys.version_info[:2]
SUPPORTED: Final = ((3, 11), (3, 12), (3, 13), (3, 14), (3, 15))

# -- threads ---------------------------------------------------------------------------------------

# Configured with --disable-gil, available since 3.13 (PEP 703). The GIL may be enabled all the same: see below.
FREE_THREADED: Final = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def gil_enabled() -> bool:
    """Return whether one thread at a time runs Python code.

    A function, as the answer can change: importing an extension module that does not declare support for free
    threading enables the GIL, unless PYTHON_GIL=0 forbids it.
    """
    return sys._is_gil_enabled() if FREE_THREADED else True  # type: ignore[attr-defined] # added in 3.13


# The attribute of `threading.Thread` that knows whether the OS thread has ended, if it is an object with
# `_set_done()`. Before 3.13 the flag `_is_stopped` and the lock `_tstate_lock` do. 3.14 renamed it (gh-134087),
# because subclasses had a `_handle` of their own.
THREAD_HANDLE: Final = "_os_thread_handle" if VERSION >= (3, 14) else "_handle" if VERSION >= (3, 13) else None

# `Thread(context=...)`; `start` chooses the context in which `run` is called (3.14, Lib/threading.py).
THREADS_HAVE_CONTEXT: Final = VERSION >= (3, 14)

# Starting or renaming a thread also sets the name that the operating system shows (3.14, `_thread.set_name`).
THREAD_NAMES_REACH_THE_OS: Final = VERSION >= (3, 14)

# `RLock.locked()`, and a `locked` that each condition takes from its lock (3.14, Lib/threading.py).
RLOCKS_HAVE_LOCKED: Final = VERSION >= (3, 14)

# `threading.serialize_iterator`, `synchronized_iterator` and `concurrent_tee` (3.15, Lib/threading.py).
ITERATORS_CAN_BE_SERIALIZED: Final = VERSION >= (3, 15)

# -- other modules of the standard library ----------------------------------------------------------

# `Queue.shutdown()` and the exception `queue.ShutDown` (3.13).
QUEUES_SHUT_DOWN: Final = VERSION >= (3, 13)

# A pool's work item holds `task`, a tuple of function, arguments and keywords, and `run` takes the worker's context
# (3.14, Lib/concurrent/futures/thread.py). Before, it holds `fn`, `args` and `kwargs`.
WORK_ITEMS_HOLD_TASKS: Final = VERSION >= (3, 14)

# `functools.cached_property` computes under an RLock, `lock`, shared by all objects of the class; removed in 3.12.
CACHED_PROPERTIES_LOCK: Final = VERSION < (3, 12)

# A function with `functools.lru_cache` is called while the object that keeps the cache is locked (free-threaded 3.13,
# Modules/_functoolsmodule.c; 3.14 calls it unlocked). A thread that is switched away there keeps the lock.
CACHES_LOCK_CALLS: Final = FREE_THREADED and VERSION == (3, 13)

# `sys.last_exc` accompanies `sys.last_value` after an unhandled exception (3.12).
HAS_LAST_EXC: Final = VERSION >= (3, 12)

# The class that keeps a thread's event loop; private since policies are deprecated (3.14, Lib/asyncio/events.py).
EVENT_LOOP_POLICY: Final = "_BaseDefaultEventLoopPolicy" if VERSION >= (3, 14) else "BaseDefaultEventLoopPolicy"

# `asyncio` keeps one running task for each OS thread, not for each loop (3.14, Modules/_asynciomodule.c): entering a
# task of one loop is an error while a task of another loop is being executed by the same thread.
RUNNING_TASK_IS_PER_THREAD: Final = VERSION >= (3, 14)

# Modules have `__cached__` (removed in 3.15).
MODULES_HAVE_CACHED: Final = VERSION < (3, 15)

# Functions, classes and modules become immortal when a second thread is started, and `gc.get_objects()` leaves immortal
# objects out (free-threaded 3.13, Python/gc_free_threading.c; 3.14 no longer makes them immortal).
IMMORTAL_OBJECTS_ARE_UNTRACKED: Final = FREE_THREADED and VERSION == (3, 13)

# The collector has three generations, and survivors move from each to the next (Modules/gcmodule.c). Free-threaded
# builds have one generation. 3.14.0 collects the old one in increments (Python/gc.c); 3.14.10 has generations again.
COLLECTOR_HAS_GENERATIONS: Final = not FREE_THREADED and (VERSION != (3, 14) or sys.version_info >= (3, 14, 10))

# The most objects that are frozen (`gc.freeze`) when a program begins. 3.12 starts with 375, whatever its options are;
# 3.11 and 3.13 to 3.15 with none. A program that freezes its own has thousands: those of the standard library alone.
MAX_FROZEN_AT_START: Final = 1_000 if VERSION == (3, 12) else 0

# `sys.monitoring`, which reports calls at no cost once they are known (3.12, PEP 669).
HAS_MONITORING: Final = VERSION >= (3, 12)

# -- the language -----------------------------------------------------------------------------------

# `frame.f_locals` is one dictionary, kept by the frame with all that was in it; since 3.13 a view (PEP 667).
FRAMES_KEEP_THEIR_LOCALS: Final = VERSION < (3, 13)

# `def f[T]`, `class C[T]`, `type X = ...`: nodes have `type_params`, and `ast.TypeAlias` exists (3.12, PEP 695).
HAS_TYPE_PARAMETERS: Final = VERSION >= (3, 12)

# `lazy import x`: nodes have `is_lazy`, and a name is imported when it is first used (3.15, PEP 810).
HAS_LAZY_IMPORTS: Final = VERSION >= (3, 15)

# Built-in types that copy a container and never change: `frozendict` was added in 3.15 (PEP 814).
FROZEN_TYPES: Final[tuple[type, ...]] = tuple(
    getattr(builtins, name) for name in (("frozenset", "frozendict") if VERSION >= (3, 15) else ("frozenset",))
)

# Annotations are evaluated when `__annotations__` is read, and those of attributes and items never (3.14, PEP 649).
ANNOTATIONS_ARE_DEFERRED: Final = VERSION >= (3, 14)
