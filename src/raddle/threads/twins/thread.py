"""Twins of `threading.Thread`, and of the functions that identify the running thread.

The methods replace those of the class, so that subclasses (such as `Timer`) and existing objects are controlled, too.
"""

from __future__ import annotations

import _thread
import contextvars
import functools
import itertools
import sys
import threading
import types
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from raddle import env
from raddle.engine import waits
from raddle.engine.carrier import Abort, Carrier, getcurrent
from raddle.inspection import class_attribute, own_fields
from raddle.operation import IS_ALIVE, START
from raddle.threads.endings import end_uncontrolled
from raddle.threads.state import ThreadState, thread_of

_Thread = threading.Thread
_real_init = _Thread.__init__
_real_start = _Thread.start
_real_join = _Thread.join
_real_is_alive = _Thread.is_alive
_real_current_thread = threading.current_thread
_real_enumerate = threading.enumerate
_real_active_count = threading.active_count
_real_get_ident = _thread.get_ident
_real_get_native_id = _thread.get_native_id
_real_start_new_thread = _thread.start_new_thread
_real_count = _thread._count
_real_daemon: Any = _Thread.__dict__["daemon"]
_real_ident: Any = _Thread.__dict__["ident"]

NUMBER = "_raddle_number"
CARRIER_KEY = "_raddle_carrier"  # key in the `__dict__` of a Thread object that is or was controlled


def reset_names() -> None:
    """Restart the numbers in default names, so that each execution has Thread-1, Thread-2, ThreadPoolExecutor-0 etc."""
    threading._counter = itertools.count(1).__next__  # type: ignore[attr-defined]
    ThreadPoolExecutor._counter = itertools.count().__next__  # type: ignore[attr-defined]


def start(self: Any) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier:
        _real_start(self)
        return
    if not self._initialized:
        raise RuntimeError("thread.__init__() not called")
    if self._started._flag:
        me.engine.mark_observed("thread")  # another thread may have started this thread first
        raise RuntimeError("threads can only be started once")
    if env.THREADS_HAVE_CONTEXT:
        _choose_context(self)
    carrier = _spawn(me, functools.partial(_run, self), self)
    self.__dict__[CARRIER_KEY] = carrier
    self._started._flag = True
    self._ident = self._native_id = carrier.ident


def _spawn(me: Carrier, run: Callable[[], object], thread: Any) -> Carrier:
    """Start a controlled thread that calls `run`; `thread` is its Thread object, if it has one."""
    engine, world = me.engine, me.own.world
    if "thread" in engine.points.visible:
        engine.operate(me, START, thread)
        if thread is not None and thread._started._flag:
            raise RuntimeError("threads can only be started once")
    daemon = thread is None or thread._daemonic
    if daemon:
        # A daemon may run forever and is stopped at the end of the execution, possibly before its accesses are known
        # to be shared. So all sites in its body are scheduling points from the start.
        engine.mark_observed("daemon")
        engine.add_points(world.sites_in(_body_of(run, thread)))
    carrier = engine.spawn(me, run, daemon, ThreadState(world, thread))
    world.spawned()
    return carrier


def _body_of(run: Callable[[], object], thread: Any) -> Any:
    """Return the function that a thread will run: its target, or the `run` of its class."""
    if thread is None:
        return run
    run_of_class = class_attribute(type(thread), "run")
    return own_fields(thread).get("_target") if run_of_class is _Thread.run else run_of_class


def _run(self: Any) -> None:
    me: Any = getcurrent()
    try:
        if env.THREADS_HAVE_CONTEXT:
            self._context.run(self.run)
        else:
            self.run()  # greenlets start in an empty context, as threads do
    except SystemExit:
        pass  # ends the thread silently, as in CPython
    except Abort:
        raise
    except BaseException as error:
        if threading.excepthook is not me.own.world.excepthook:  # also call a hook that the scenario has set
            threading.excepthook(threading.ExceptHookArgs([*sys.exc_info(), self]))
        if not me.own.world.absorbs(me, error):
            me.engine.fail(me, error)
    finally:
        mark_ended(self)


def _choose_context(self: Any) -> None:
    """Choose the context in which `run` is called, as `start` does in CPython versions whose threads have contexts."""
    if self._context is None:
        inherits = sys.flags.thread_inherit_context  # type: ignore[attr-defined] # see env
        self._context = contextvars.copy_context() if inherits else contextvars.Context()


if env.THREAD_HANDLE is not None:
    _ended = _thread._make_thread_handle(0)  # type: ignore[attr-defined] # added in 3.13
    _ended._set_done()

    def mark_ended(self: Any) -> None:
        """Mark a thread as ended in the way that the real methods of `Thread` expect."""
        self.__dict__[env.THREAD_HANDLE] = _ended

else:

    def mark_ended(self: Any) -> None:
        """Mark a thread as ended in the way that the real methods of `Thread` expect."""
        self._is_stopped = True
        self._tstate_lock = None


def join(self: Any, timeout: float | None = None) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier:
        _real_join(self, timeout)
        return
    if not self._initialized:
        raise RuntimeError("Thread.__init__() not called")
    other = _carrier_of(self, me)
    if not _is_surely_started(self, other, me):
        _observe_lifetime(me, other)
        other = _carrier_of(self, me)
    if not self._started._flag:
        raise RuntimeError("cannot join thread before it is started")
    if self is me.own.thread:
        raise RuntimeError("cannot join current thread")
    if other is None:
        if _real_is_alive(self):
            end_uncontrolled(me, f"{self.name} was started before the execution began, so raddle cannot control a join")
        return
    if timeout is not None and timeout <= 0:
        _observe_lifetime(me, other)
        return
    waits.join(me, other, timeout)


def _carrier_of(self: Any, me: Carrier) -> Carrier | None:
    """Return the carrier of a thread in this execution, or None if this execution did not start it."""
    other: Carrier | None = self.__dict__.get(CARRIER_KEY)
    if other is None:
        first = me.engine.queue.carriers[0]
        return first if self is first.own.thread else None
    state = other.own  # None once the execution that `other` belongs to has ended
    return other if state is not None and state.thread is self else None


def _is_surely_started(self: Any, other: Carrier | None, me: Carrier) -> bool:
    """Return whether the thread has been started by now in every schedule, rather than only in this one."""
    if other is None:
        return bool(self._started._flag)
    starter, segment = other.started_by
    return starter == me.index or other.index in me.clock or me.clock.get(starter, -1) > segment


def _observe_lifetime(me: Carrier, other: Carrier | None) -> None:
    """Observe whether a thread has started or ended, which makes starts and ends visible operations."""
    me.engine.mark_observed("thread")
    me.engine.operate(me, IS_ALIVE, other)


def is_alive(self: Any) -> bool:
    me = getcurrent()
    if me.__class__ is not Carrier:
        return _real_is_alive(self)
    other = _carrier_of(self, me)
    if other is None and self._started._flag:
        return _real_is_alive(self)  # started before the execution began
    _observe_lifetime(me, other)
    other = _carrier_of(self, me)
    return other is not None and not other.done


def _get_ident(self: Any) -> int | None:
    """Return a thread's identifier. It is None before the start, so reading it can reveal the start."""
    me = getcurrent()
    if me.__class__ is Carrier and me.own.thread is not self and self._initialized:
        _observe_lifetime(me, _carrier_of(self, me))
    return _real_ident.fget(self)  # type: ignore[no-any-return]


def _set_daemon(self: Any, daemonic: bool) -> None:
    if getcurrent().__class__ is Carrier and self._initialized and not self._started._flag:
        self._daemonic = daemonic  # CPython's setter would observe the event `_started`
    else:
        _real_daemon.fset(self, daemonic)


def current_thread() -> threading.Thread:
    me = getcurrent()
    if me.__class__ is not Carrier:
        return _real_current_thread()
    if me.own.thread is None:  # started by _thread.start_new_thread
        thread: Any = _Thread(name=threading._newname("Dummy-%d"), daemon=True)  # type: ignore[attr-defined]
        thread.__class__ = threading._DummyThread
        thread._started._flag = True
        thread._ident = thread._native_id = me.ident
        thread.__dict__[CARRIER_KEY] = me
        me.own.thread = thread
    return me.own.thread  # type: ignore[no-any-return]


def _alive(me: Any) -> list[Carrier]:
    _observe_lifetime(me, None)
    return [c for c in me.engine.queue.carriers if not c.done]


def enumerate_() -> list[threading.Thread]:
    me = getcurrent()
    if me.__class__ is not Carrier:
        return _real_enumerate()
    return [thread for c in _alive(me) if (thread := thread_of(c)) is not None]


def active_count() -> int:
    return len(enumerate_()) if getcurrent().__class__ is Carrier else _real_active_count()


def count() -> int:
    """Return the number of running threads except the first, as `_thread._count` does."""
    me = getcurrent()
    if me.__class__ is not Carrier:
        return _real_count()
    return sum(c.index > 0 for c in _alive(me))


def get_ident() -> int:
    me = getcurrent()
    return me.ident if me.__class__ is Carrier else _real_get_ident()


def get_native_id() -> int:
    me = getcurrent()
    return me.ident if me.__class__ is Carrier and me.index > 0 else _real_get_native_id()


_NO_KEYWORDS: dict[str, Any] = {}


def _is_startable(function: object, args: object, kwargs: object) -> bool:
    """Return whether the arguments of `start_new_thread` are valid. The real function rejects invalid ones."""
    return callable(function) and isinstance(args, tuple) and isinstance(kwargs, dict)


def start_new_thread(function: Callable[..., object], args: tuple[Any, ...], kwargs: Any = _NO_KEYWORDS, /) -> int:
    me = getcurrent()
    if me.__class__ is not Carrier or not _is_startable(function, args, kwargs):
        return _real_start_new_thread(function, args, kwargs)

    def run() -> None:
        with suppress(SystemExit):
            try:
                function(*args, **kwargs)
            except Exception as error:
                started: Any = getcurrent()
                if not started.own.world.absorbs(started, error):
                    raise

    return _spawn(me, run, None).ident


class _Started(threading.Event):
    """A lean event for a thread's `_started`.

    Controlled threads use only the flag; the other parts are created when needed.
    """

    def __init__(self) -> None:
        self._flag = False

    def __getattr__(self, name: str) -> Any:
        if name != "_cond":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        # Two threads may get here at the same time; `setdefault` gives both the same condition.
        return self.__dict__.setdefault("_cond", threading.Condition(threading.Lock()))


class _DiscardingSet:
    """Replaces the weak set `_dangling`, which `threading` keeps only for its own tests."""

    def add(self, thread: object) -> None:
        """Ignore the thread."""

    def __iter__(self) -> Iterator[Any]:
        return iter(())


def _invoke_excepthook(thread: Any) -> None:
    """Call the exception hook for a thread that was created in a controlled execution but started outside it."""
    threading._make_invoke_excepthook()(thread)  # type: ignore[attr-defined]


# CPython's own `__init__`, with lean replacements for the slow parts that controlled threads do not need.
_lean_init = types.FunctionType(
    _real_init.__code__,
    vars(threading)
    | {"Event": _Started, "_dangling": _DiscardingSet(), "_make_invoke_excepthook": lambda: _invoke_excepthook}
    | {"current_thread": current_thread},
    argdefs=_real_init.__defaults__,
)
_lean_init.__kwdefaults__ = _real_init.__kwdefaults__


@functools.wraps(_real_init)
def init(self: Any, *args: Any, **kwargs: Any) -> None:
    me = getcurrent()
    if me.__class__ is Carrier:
        me.own.world.numbered = self.__dict__[NUMBER] = me.own.world.numbered + 1
        _lean_init(self, *args, **kwargs)
    else:
        _real_init(self, *args, **kwargs)


def number_of(self: Any) -> int:
    """Return a hash that is the same in every execution, so that sets of threads have a fixed order."""
    return self.__dict__.get(NUMBER) or object.__hash__(self)


def set_name(name: str) -> None:
    """Set the OS thread's name, except for controlled threads, which share one OS thread."""
    if getcurrent().__class__ is not Carrier:
        _real_set_name(name)


PATCHES = (
    (_Thread, "__init__", init),
    (_Thread, "__hash__", number_of),
    (_Thread, "start", start),
    (_Thread, "join", join),
    (_Thread, "is_alive", is_alive),
    (_Thread, "daemon", property(_real_daemon.fget, _set_daemon)),
    (_Thread, "ident", property(_get_ident)),
)

NAMES: dict[Any, Any] = {
    _real_current_thread: current_thread,
    _real_enumerate: enumerate_,
    _real_active_count: active_count,
    _real_get_ident: get_ident,
    _real_get_native_id: get_native_id,
    _real_start_new_thread: start_new_thread,
    _real_count: count,
}
if env.THREAD_NAMES_REACH_THE_OS:
    _real_set_name: Any = _thread.set_name  # type: ignore[attr-defined] # see `env`
    NAMES[_real_set_name] = set_name
