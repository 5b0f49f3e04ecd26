"""Versions of `threading.Lock` and `threading.RLock` that record their operations.

A release is recorded before it happens and an acquire after it has happened, so accesses that a lock guards are
recorded in their actual order. An acquire is first tried without waiting. If that fails, the thread is recorded as
blocked.
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

__tracebackhide__ = True  # hide the frames of this module in pytest's tracebacks

_allocate = _thread.allocate_lock
_RealLock = _thread.LockType
_NAME = f"{_RealLock.__module__}.{_RealLock.__name__}"


def _can_wait(blocking: bool, timeout: float) -> bool:
    """Return whether an acquire with these arguments can block; False for arguments that the real lock rejects."""
    return (
        bool(blocking) and isinstance(timeout, (int, float)) and (timeout == -1 or 0 < timeout <= threading.TIMEOUT_MAX)
    )


class _LockMeta(type):
    """The metaclass of `Lock`: a call creates a recording lock, or a real lock if it is part of another primitive."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if args or kwargs or is_made_internally():
            return _allocate(*args, **kwargs)
        lock = type.__call__(cls)
        lock.resource = cls.recorder.make_resource(lock)  # type: ignore[attr-defined]
        return lock

    def __instancecheck__(cls, instance: Any) -> bool:
        return type.__instancecheck__(cls, instance) or type(instance) is _RealLock


class Lock(metaclass=_LockMeta):
    """A lock that records its operations. It wraps a real lock, because the type of real locks cannot be subclassed."""

    __slots__ = ("__weakref__", "_real", "resource")

    recorder: ClassVar[Recorder]
    resource: Resource

    def __init_subclass__(cls) -> None:
        if "recorder" not in cls.__dict__:
            raise TypeError(f"type '{_NAME}' is not an acceptable base type")  # the message of the real type

    def __init__(self) -> None:
        self._real = _allocate()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        recorder, real = self.recorder, self._real
        thread, site = recorder.enter_primitive()
        if thread.unrecorded_lock is self:
            return real.acquire(blocking, timeout)
        waits = _can_wait(blocking, timeout)
        if not real.acquire(False) if waits else not real.acquire(blocking, timeout):
            if waits:
                recorder.record_on(BLOCKED, self.resource, site)
            if not (waits and real.acquire(blocking, timeout)):
                if site:  # otherwise a condition is only testing whether its lock is held
                    recorder.record_on(FAILED, self.resource, site)
                return False
        try:
            recorder.record_on(ACQUIRE, self.resource, site)
        except BaseException:  # raised by a signal handler; `with` does not release a lock if `__enter__` raises
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


class RLock(_thread.RLock):  # type: ignore[misc] # CPython allows subclassing
    """A reentrant lock that records each acquire and the outermost release."""

    __slots__ = ("_depth", "resource")

    recorder: ClassVar[Recorder]
    resource: Resource
    _is_owned: Callable[[], bool]

    def __init__(self) -> None:
        self._depth = 0  # number of acquires minus releases; changed only by the thread that holds the lock
        self.resource = self.recorder.make_resource(self)

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        recorder = self.recorder
        thread, site = recorder.enter_primitive()
        owned = self._is_owned()
        waits = not owned and _can_wait(blocking, timeout)
        if not super().acquire(False) if waits else not super().acquire(blocking, timeout):
            if waits:
                recorder.record_on(BLOCKED, self.resource, site)
            if not (waits and super().acquire(blocking, timeout)):
                if site:  # otherwise a condition is only testing whether its lock is held
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

    def __enter__(self) -> bool:  # type: ignore[override] # never called with arguments
        with self.recorder.entering_with(self):
            return self.acquire()

    def __exit__(self, *exc: object) -> None:
        thread = self.recorder.local.thread
        thread.call_site = thread.leave_with(self)
        self.release()

    # A condition calls the next two methods before and after it waits.

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
    """Return lock classes bound to this recorder, and the replacement for the function `threading.RLock`."""
    namespace: dict[str, Any] = {"recorder": recorder, "__slots__": ()}
    lock: Any = _LockMeta("lock", (Lock,), {**namespace, "__class__": claimed_class(_RealLock)})
    rlock: Any = type("RLock", (RLock,), namespace)
    resembling(_RealLock)(lock)
    resemble(rlock, _thread.RLock)  # a subclass of the real class, so `isinstance` works

    real_rlock = threading.RLock

    def make_rlock(*args: Any, **kwargs: Any) -> Any:
        return real_rlock(*args, **kwargs) if args or kwargs or is_made_internally() else rlock()

    resemble(make_rlock, real_rlock)
    return lock, rlock, make_rlock
