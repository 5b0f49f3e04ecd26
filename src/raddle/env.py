"""Behaviors that differ between the supported interpreters: CPython 3.11 to 3.15, with and without the GIL.

Each difference has one name here, with the version that introduced it and the evidence. Other modules use these names
and never compare versions, so supporting another interpreter mostly means changing this file.
"""

from __future__ import annotations

import builtins
import sys
import sysconfig
from typing import Final

VERSION: Final = sys.version_info[:2]
SUPPORTED: Final = ((3, 11), (3, 12), (3, 13), (3, 14), (3, 15))

# -- threads ---------------------------------------------------------------------------------------

# Configured with --disable-gil, available since 3.13 (PEP 703). The GIL may still be enabled: see `gil_enabled`.
FREE_THREADED: Final = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def gil_enabled() -> bool:
    """Return whether the GIL is enabled, so that only one thread at a time runs Python code.

    This is a function because the answer can change. Importing an extension module that does not declare support for
    free threading enables the GIL, unless PYTHON_GIL=0 forbids it.
    """
    return sys._is_gil_enabled() if FREE_THREADED else True  # type: ignore[attr-defined] # added in 3.13


# The attribute of `threading.Thread` that holds the handle of the OS thread, an object with `_set_done()`. Before 3.13,
# the flag `_is_stopped` and the lock `_tstate_lock` recorded whether the thread had ended. 3.14 renamed the attribute
# (gh-134087), because some subclasses define their own `_handle`.
THREAD_HANDLE: Final = "_os_thread_handle" if VERSION >= (3, 14) else "_handle" if VERSION >= (3, 13) else None

# `Thread` has a parameter `context`, and `start` chooses the context in which `run` is called (3.14, Lib/threading.py).
THREADS_HAVE_CONTEXT: Final = VERSION >= (3, 14)

# Starting or renaming a thread also sets the name that the operating system shows (3.14, `_thread.set_name`).
THREAD_NAMES_REACH_THE_OS: Final = VERSION >= (3, 14)

# `RLock` has a method `locked`, which each condition copies from its lock (3.14, Lib/threading.py).
RLOCKS_HAVE_LOCKED: Final = VERSION >= (3, 14)

# `threading.serialize_iterator`, `synchronized_iterator` and `concurrent_tee` (3.15, Lib/threading.py).
ITERATORS_CAN_BE_SERIALIZED: Final = VERSION >= (3, 15)

# -- other modules of the standard library ----------------------------------------------------------

# `Queue.shutdown()` and the exception `queue.ShutDown` (3.13).
QUEUES_SHUT_DOWN: Final = VERSION >= (3, 13)

# A pool's work item holds `task`, a tuple of function, arguments and keywords, and `run` takes the worker's context
# (3.14, Lib/concurrent/futures/thread.py). In earlier versions, it holds `fn`, `args` and `kwargs`.
WORK_ITEMS_HOLD_TASKS: Final = VERSION >= (3, 14)

# `functools.cached_property` computes the value while it holds an RLock, `lock`, that all objects of the class share.
# Python 3.12 removed this lock.
CACHED_PROPERTIES_LOCK: Final = VERSION < (3, 12)

# `functools.lru_cache` calls the wrapped function while it holds the lock of the cache object (free-threaded 3.13,
# Modules/_functoolsmodule.c; 3.14 calls it without the lock). A thread that is preempted during the call keeps the
# lock.
CACHES_LOCK_CALLS: Final = FREE_THREADED and VERSION == (3, 13)

# `sys.last_exc` accompanies `sys.last_value` after an unhandled exception (3.12).
HAS_LAST_EXC: Final = VERSION >= (3, 12)

# The class that holds the event loop of a thread. It became private when event loop policies were deprecated (3.14,
# Lib/asyncio/events.py).
EVENT_LOOP_POLICY: Final = "_BaseDefaultEventLoopPolicy" if VERSION >= (3, 14) else "BaseDefaultEventLoopPolicy"

# `asyncio` tracks one running task per OS thread, not per event loop (3.14, Modules/_asynciomodule.c). Entering a task
# of one loop is an error while the same OS thread is running a task of another loop.
RUNNING_TASK_IS_PER_THREAD: Final = VERSION >= (3, 14)

# Modules have `__cached__` (removed in 3.15).
MODULES_HAVE_CACHED: Final = VERSION < (3, 15)

# Functions, classes and modules become immortal when a second thread is started, and `gc.get_objects()` omits immortal
# objects (free-threaded 3.13, Python/gc_free_threading.c; 3.14 no longer makes them immortal).
IMMORTAL_OBJECTS_ARE_UNTRACKED: Final = FREE_THREADED and VERSION == (3, 13)

# The garbage collector has three generations, and survivors move from each to the next (Modules/gcmodule.c).
# Free-threaded builds have one generation. 3.14.0 collects the old generation incrementally (Python/gc.c); 3.14.10 has
# three generations again.
COLLECTOR_HAS_GENERATIONS: Final = not FREE_THREADED and (VERSION != (3, 14) or sys.version_info >= (3, 14, 10))

# Upper bound on the number of objects that are frozen (`gc.freeze`) at startup. 3.12 starts with 375 frozen objects,
# regardless of its options; 3.11 and 3.13 to 3.15 start with none. A program that calls `gc.freeze` itself has
# thousands, because the standard library alone creates that many objects.
MAX_FROZEN_AT_START: Final = 1_000 if VERSION == (3, 12) else 0

# `sys.monitoring` exists (3.12, PEP 669). Events for calls that have already been reported can be disabled, so that
# these calls cost nothing.
HAS_MONITORING: Final = VERSION >= (3, 12)

# -- the language -----------------------------------------------------------------------------------

# `frame.f_locals` is a dictionary that the frame stores, with references to all values; since 3.13 it is a view
# (PEP 667).
FRAMES_KEEP_THEIR_LOCALS: Final = VERSION < (3, 13)

# `def f[T]`, `class C[T]`, `type X = ...`: nodes have `type_params`, and `ast.TypeAlias` exists (3.12, PEP 695).
HAS_TYPE_PARAMETERS: Final = VERSION >= (3, 12)

# `lazy import x`: nodes have `is_lazy`, and the module is imported when the name is first used (3.15, PEP 810).
HAS_LAZY_IMPORTS: Final = VERSION >= (3, 15)

# Immutable built-in types that copy the content of a container. `frozendict` was added in 3.15 (PEP 814).
FROZEN_TYPES: Final[tuple[type, ...]] = tuple(
    getattr(builtins, name) for name in (("frozenset", "frozendict") if VERSION >= (3, 15) else ("frozenset",))
)

# Annotations are evaluated when `__annotations__` is read. Annotations of attributes and items are never evaluated
# (3.14, PEP 649).
ANNOTATIONS_ARE_DEFERRED: Final = VERSION >= (3, 14)
