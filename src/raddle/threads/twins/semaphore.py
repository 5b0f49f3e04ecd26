"""Twins of `threading.Semaphore` and `BoundedSemaphore`: methods that replace those of the classes."""

from __future__ import annotations

import threading
from typing import Any

from raddle.engine.carrier import Carrier, getcurrent
from raddle.engine.waits import wait
from raddle.operation import BOUNDED_UP, DOWN, TRY_DOWN, UP
from raddle.schedulers.calculus import Describe, Touched
from raddle.threads import modes

_real_acquire = threading.Semaphore.acquire
_real_release = threading.Semaphore.release
_real_bounded_release = threading.BoundedSemaphore.release


def acquire(self: Any, blocking: bool = True, timeout: float | None = None) -> bool:
    me = getcurrent()
    if me.__class__ is not Carrier:
        return _real_acquire(self, blocking, timeout)
    if not blocking and timeout is not None:
        raise ValueError("can't specify timeout for non-blocking acquire")
    engine = me.engine
    if not blocking or (timeout is not None and timeout <= 0):
        engine.mark_observed("semaphore")
        engine.operate(me, TRY_DOWN, self)
        got: bool = self._value > 0
    elif timeout is None:
        engine.operate(me, DOWN, self, lambda: self._value > 0)
        got = True
    else:
        got = wait(me, DOWN, self, lambda: self._value > 0, timeout)
    if got:
        self._value -= 1
    if engine.observing:
        engine.happened(me, DOWN if got else TRY_DOWN, self, got)
    return got


def release(self: Any, n: int = 1) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier:
        _real_release(self, n)
        return
    if n < 1:
        raise ValueError("n must be one or more")
    if "semaphore" in me.engine.points.visible:
        me.engine.operate(me, UP, self)
    self._value += n
    if me.engine.observing:
        me.engine.happened(me, UP, self)


def bounded_release(self: Any, n: int = 1) -> None:
    me = getcurrent()
    if me.__class__ is not Carrier:
        _real_bounded_release(self, n)
        return
    if n < 1:
        raise ValueError("n must be one or more")
    # There is always a scheduling point here, because earlier acquires decide whether the release raises.
    me.engine.operate(me, BOUNDED_UP, self)
    if self._value + n > self._initial_value:
        raise ValueError("Semaphore released too many times")
    self._value += n
    if me.engine.observing:
        me.engine.happened(me, UP, self)


def leave(self: Any, *exc: object) -> None:
    self.release()


PATCHES = (
    (threading.Semaphore, "acquire", acquire),
    (threading.Semaphore, "__enter__", acquire),
    (threading.Semaphore, "__exit__", leave),
    (threading.Semaphore, "release", release),
    (threading.BoundedSemaphore, "release", bounded_release),
)


def _permits(semaphore: Any) -> tuple[int, ...]:
    return (semaphore._value,)


def _describe(mode: int, need: int = 0) -> Describe:
    def describe(thread: Any, target: Any) -> Touched:
        actual_need = 0 if thread.timer and thread.ready is None else need  # never blocks if it may time out early
        return [(target, "", modes.WRITE if thread.timer else mode)], actual_need, None, target, _permits

    return describe


DESCRIPTIONS = {
    DOWN: _describe(modes.TAKE, modes.FREE),
    UP: _describe(modes.GIVE),
    TRY_DOWN: _describe(modes.WRITE),
    BOUNDED_UP: _describe(modes.WRITE),
}
