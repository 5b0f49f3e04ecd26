"""The twin of `threading.Thread`, and of the functions that tell which thread is running.

The methods are put in place of the class's own, so that subclasses (Timer, a pool's workers, the user's)
and objects made earlier are under control too.
"""

from __future__ import annotations

import _thread
import sys
import threading
from collections.abc import Callable
from typing import Any

from raddle.sync.carrier import Abort, Carrier, getcurrent

_Thread = threading.Thread
_real_start = _Thread.start
_real_join = _Thread.join
_real_is_alive = _Thread.is_alive
_real_current_thread = threading.current_thread
_real_enumerate = threading.enumerate
_real_active_count = threading.active_count
_real_get_ident = _thread.get_ident
_real_get_native_id = _thread.get_native_id
_real_start_new_thread = _thread.start_new_thread

KEY = "_raddle_carrier"  # in the dict of a Thread object that is, or was, under control


def start(self: Any) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier:
        _real_start(self)
        return
    if not self._initialized:
        raise RuntimeError("thread.__init__() not called")
    if self._started._flag:
        raise RuntimeError("threads can only be started once")
    self.__dict__[KEY] = me.control.spawn(me, lambda: _run(self), self)
    self._started._flag = True
    self._ident = self._native_id = self.__dict__[KEY].ident


def _run(self: Any) -> None:
    me: Any = getcurrent()
    try:
        self.run()
    except SystemExit:
        pass  # as CPython: ends the thread, silently
    except Abort:
        raise
    except BaseException as error:
        if threading.excepthook is not me.control.excepthook:  # the scenario's own hook is called as well
            threading.excepthook(threading.ExceptHookArgs([*sys.exc_info(), self]))
        me.control.fail(me, error)
    finally:
        _mark_ended(self)


def _mark_ended(self: Any) -> None:
    """So that the real methods, too, know that this thread has ended."""
    if hasattr(self, "_handle"):  # since 3.13
        self._handle = _thread._make_thread_handle(self._ident)  # type: ignore[attr-defined]
        self._handle._set_done()
    else:
        self._is_stopped = True
        self._tstate_lock = None


def join(self: Any, timeout: float | None = None) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier:
        _real_join(self, timeout)
        return
    if not self._initialized:
        raise RuntimeError("Thread.__init__() not called")
    if not self._started._flag:
        raise RuntimeError("cannot join thread before it is started")
    if self is me.thread:
        raise RuntimeError("cannot join current thread")
    other = self.__dict__.get(KEY)
    if other is None:
        if _real_is_alive(self):
            me.control.uncontrolled(
                me, f"{self.name} was started before the execution began: waiting for it would block for real"
            )
        return
    if timeout is not None and timeout <= 0:
        me.control.observe("thread")
        me.kind, me.target, me.ready = "is-alive", other, None
        me.control.reach(me)
        return
    me.control.join(me, other, timeout)


def is_alive(self: Any) -> bool:
    me = getcurrent()
    other = self.__dict__.get(KEY) if me.__class__ is Carrier else None
    if other is None:
        return _real_is_alive(self)
    me.control.observe("thread")
    me.kind, me.target, me.ready = "is-alive", other, None
    me.control.reach(me)
    return not other.done


def current_thread() -> threading.Thread:
    me = getcurrent()
    if me.__class__ is not Carrier:
        return _real_current_thread()
    if me.thread is None:  # started by _thread.start_new_thread
        thread: Any = _Thread(name=f"Dummy-{me.index}", daemon=True)
        thread._started._flag = True
        thread._ident = thread._native_id = me.ident
        thread.__dict__[KEY] = me
        me.thread = thread
    return me.thread  # type: ignore[no-any-return]


def _alive(me: Any) -> list[Carrier]:
    me.control.observe("thread")
    me.kind, me.target, me.ready = "is-alive", None, None
    me.control.reach(me)
    return [c for c in me.control.carriers if not c.done]


def enumerate_() -> list[threading.Thread]:
    me = getcurrent()
    if me.__class__ is not Carrier:
        return _real_enumerate()
    return [c.thread for c in _alive(me) if c.thread is not None]


def active_count() -> int:
    me = getcurrent()
    if me.__class__ is not Carrier:
        return _real_active_count()
    return len(_alive(me))


def get_ident() -> int:
    me = getcurrent()
    return me.ident if me.__class__ is Carrier else _real_get_ident()


def get_native_id() -> int:
    me = getcurrent()
    return me.ident if me.__class__ is Carrier else _real_get_native_id()


def start_new_thread(function: Callable[..., object], args: tuple[Any, ...], kwargs: Any = None) -> int:
    me = getcurrent()
    if me.__class__ is not Carrier:
        return _real_start_new_thread(function, args, kwargs or {})
    if not callable(function):
        raise TypeError("first arg must be callable")
    if not isinstance(args, tuple):
        raise TypeError("2nd arg must be a tuple")

    def run() -> None:
        try:
            function(*args, **(kwargs or {}))
        except SystemExit:
            pass

    return me.control.spawn(me, run, None).ident  # type: ignore[no-any-return]


PATCHES = (
    (_Thread, "start", start),
    (_Thread, "join", join),
    (_Thread, "is_alive", is_alive),
)

NAMES: dict[Any, Any] = {
    _real_current_thread: current_thread,
    _real_enumerate: enumerate_,
    _real_active_count: active_count,
    _real_get_ident: get_ident,
    _real_get_native_id: get_native_id,
    _real_start_new_thread: start_new_thread,
}
