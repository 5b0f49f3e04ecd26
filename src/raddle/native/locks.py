"""`threading.Lock` and `threading.RLock`, watched.

A release is told before it happens and an acquire after it has, so whatever a lock guards is told in its true
order. An acquire is tried without waiting first: if that fails, the thread is blocked.
"""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from typing import Any, ClassVar, NoReturn

from raddle.native.internals import is_made_internally
from raddle.native.recorder import Recorder, Resource
from raddle.operation import ACQUIRE, BLOCKED, FAILED, REENTER, RELEASE
from raddle.threads.twins.resemblance import claimed_class, resemble, resembling

__tracebackhide__ = True  # frames of this module, in what pytest shows

_allocate = _thread.allocate_lock
_RealLock = _thread.LockType
_NAME = f"{_RealLock.__module__}.{_RealLock.__name__}"


def _waits(blocking: bool, timeout: float) -> bool:
    """May an acquire with these arguments wait? Bad ones are for the real lock to refuse."""
    return (
        bool(blocking) and isinstance(timeout, (int, float)) and (timeout == -1 or 0 < timeout <= threading.TIMEOUT_MAX)
    )


class _Making(type):
    """Calling the class makes a watched lock, or a real one for the inside of another primitive."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if args or kwargs or is_made_internally():
            return _allocate(*args, **kwargs)
        lock = type.__call__(cls)
        lock.resource = cls.recorder.make_resource(lock)  # type: ignore[attr-defined]
        return lock

    def __instancecheck__(cls, instance: Any) -> bool:
        return type.__instancecheck__(cls, instance) or type(instance) is _RealLock


class Lock(metaclass=_Making):
    """Does all that a real lock does, and has one inside. Real ones cannot be extended."""

    __slots__ = ("__weakref__", "_real", "resource")

    recorder: ClassVar[Recorder]
    resource: Resource

    def __init_subclass__(cls) -> None:
        if "recorder" not in cls.__dict__:
            raise TypeError(f"type '{_NAME}' is not an acceptable base type")  # as a real one says

    def __init__(self) -> None:
        self._real = _allocate()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        recorder, real = self.recorder, self._real
        thread, site = recorder.enter_primitive()
        if thread.unrecorded_lock is self:
            return real.acquire(blocking, timeout)
        waits = _waits(blocking, timeout)
        if not real.acquire(False) if waits else not real.acquire(blocking, timeout):
            if waits:
                recorder.record_on(BLOCKED, self.resource, site)
            if not (waits and real.acquire(blocking, timeout)):
                if site:  # else it is a condition that asks whether its lock is taken
                    recorder.record_on(FAILED, self.resource, site)
                return False
        try:
            recorder.record_on(ACQUIRE, self.resource, site)
        except BaseException:  # of a handler of a signal: `with` would not release what it did not get
            real.release()
            raise
        return True

    def release(self) -> None:
        thread, site = self.recorder.enter_primitive()
        if thread.unrecorded_lock is not self and self._real.locked():
            self.recorder.record_on(RELEASE, self.resource, site)
        self._real.release()

    def __enter__(self) -> bool:
        with self.recorder.entering_with(self):
            return self.acquire()

    def __exit__(self, *exc: object) -> None:
        thread = self.recorder.local.thread
        thread.call_site = thread.leave_with(self)
        self.release()

    def locked(self) -> bool:
        return self._real.locked()

    def _at_fork_reinit(self) -> None:
        self._real._at_fork_reinit()  # type: ignore[attr-defined]

    acquire_lock = acquire
    release_lock = release
    locked_lock = locked

    def __repr__(self) -> str:
        return repr(self._real)

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(f"cannot pickle '{_NAME}' object")


class RLock(_thread.RLock):  # type: ignore[misc] # CPython lets it be extended
    """A real reentrant lock that records its acquires, and its outermost release."""

    __slots__ = ("_depth", "resource")

    recorder: ClassVar[Recorder]
    resource: Resource
    _is_owned: Callable[[], bool]

    def __init__(self) -> None:
        self._depth = 0  # changed only by the thread that has the lock
        self.resource = self.recorder.make_resource(self)

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        recorder = self.recorder
        thread, site = recorder.enter_primitive()
        owned = self._is_owned()
        waits = not owned and _waits(blocking, timeout)
        if not super().acquire(False) if waits else not super().acquire(blocking, timeout):
            if waits:
                recorder.record_on(BLOCKED, self.resource, site)
            if not (waits and super().acquire(blocking, timeout)):
                if site:  # else it is a condition that asks whether its lock is taken
                    recorder.record_on(FAILED, self.resource, site)
                return False
        self._depth += 1
        if thread.unrecorded_lock is not self:
            try:
                recorder.record_on(REENTER if owned else ACQUIRE, self.resource, site)
            except BaseException:
                self._depth -= 1
                super().release()
                raise
        return True

    def release(self) -> None:
        thread, site = self.recorder.enter_primitive()
        if self._is_owned():
            if self._depth == 1 and thread.unrecorded_lock is not self:
                self.recorder.record_on(RELEASE, self.resource, site)
            self._depth -= 1
        super().release()

    def __enter__(self) -> bool:  # type: ignore[override] # nobody gives it arguments
        with self.recorder.entering_with(self):
            return self.acquire()

    def __exit__(self, *exc: object) -> None:
        thread = self.recorder.local.thread
        thread.call_site = thread.leave_with(self)
        self.release()

    # What a condition does with its lock while it waits.

    def _release_save(self) -> Any:
        thread = self.recorder.local.thread
        if thread.unrecorded_lock is not self and self._is_owned():
            self.recorder.record_on(RELEASE, self.resource, thread.call_site)
        depth, self._depth = self._depth, 0
        return super()._release_save(), depth  # type: ignore[misc]

    def _acquire_restore(self, saved: Any) -> None:
        state, depth = saved
        super()._acquire_restore(state)  # type: ignore[misc]
        self._depth = depth
        thread = self.recorder.local.thread
        if thread.unrecorded_lock is not self:
            self.recorder.record_on(ACQUIRE, self.resource, thread.call_site)

    def _at_fork_reinit(self) -> None:
        super()._at_fork_reinit()  # type: ignore[misc]
        self._depth = 0


def make_locks(recorder: Recorder) -> tuple[type[Lock], type[RLock], Any]:
    """Classes whose objects tell this recorder, and what is called in place of `threading.RLock`."""
    own: dict[str, Any] = {"recorder": recorder, "__slots__": ()}
    lock: Any = _Making("lock", (Lock,), {**own, "__class__": claimed_class(_RealLock)})
    rlock: Any = type("RLock", (RLock,), own)
    resembling(_RealLock)(lock)
    resemble(rlock, _thread.RLock)  # of which it is a subclass

    real_rlock = threading.RLock

    def make_rlock(*args: Any, **kwargs: Any) -> Any:
        return real_rlock(*args, **kwargs) if args or kwargs or is_made_internally() else rlock()

    resemble(make_rlock, real_rlock)
    return lock, rlock, make_rlock
