"""Twins of `threading.Lock` and `threading.RLock`.

During a controlled execution, the state of a twin consists of a few fields that the engine can inspect. Outside an
execution, a twin delegates to a real lock, so that a twin stored by the code under test continues to work.
"""

from __future__ import annotations

import _thread
import threading
from typing import Any

from raddle import env
from raddle.engine.carrier import Carrier, getcurrent
from raddle.engine.waits import wait
from raddle.operation import ACQUIRE, CREATED, LOCKED, REENTER, RELEASE, TRY_ACQUIRE
from raddle.threads.twins.resemblance import claimed_class, resembling

RealLock = _thread.LockType
RealRLock = _thread.RLock
_allocate = _thread.allocate_lock
_make_lock: Any = threading.Lock  # a class since 3.13, with different error messages
_make_rlock = _thread.RLock
_creation_lock = _allocate()  # held while a twin creates its real lock
_NAME = f"{RealLock.__module__}.{RealLock.__name__}"
OUTSIDE = object()  # represents the holder of a lock that was acquired before the execution began


def waiting_seconds(blocking: bool, timeout: float) -> float | None:
    """Return the number of seconds that `acquire` may wait, or None for no limit."""
    _allocate().acquire(blocking, timeout)  # raises the real error for bad arguments
    if timeout == -1:
        return None if blocking else 0.0
    return float(timeout)


class _Twin(type):
    """Metaclass that creates twins in a controlled execution and real locks elsewhere.

    One call does all the work of creating a lock, because code under test may create many locks.
    """

    make_real: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        me = getcurrent()
        if type(me) is not Carrier:
            return cls.make_real(*args, **kwargs)
        if args or kwargs:
            cls.make_real(*args, **kwargs)  # raises the real error for bad arguments
        twin = cls.twin_for(None)
        if me.engine.measuring:
            me.engine.noted(me, CREATED, twin)
        return twin

    def twin_for(cls, real: Any) -> Any:
        """Return a new twin of a real lock. If `real` is None, the twin creates a real lock when needed."""
        twin: Any = object.__new__(cls)  # type: ignore[arg-type]
        twin.holder = twin.taken_at = twin.queue = None
        twin.count = 0
        twin._real = real
        return twin

    def __instancecheck__(cls, instance: Any) -> bool:
        """Accept real locks, too, because `threading.Lock` has been their class since 3.13."""
        kind = type(instance)
        return issubclass(kind, cls) or kind is cls.real_kind

    real_kind: type


class _BaseLock(metaclass=_Twin):
    """The base class of both kinds of lock."""

    __slots__ = ("__weakref__", "_real", "count", "holder", "queue", "taken_at")

    _real: Any
    holder: Any  # the carrier that holds the lock, or None
    taken_at: Any  # the place where the lock was acquired
    count: int  # the recursion count; always 0 for a plain lock
    queue: Any  # a weak reference to the queue whose mutex this lock is, or None

    def real(self) -> Any:
        """Return the real lock to use outside executions; create it if necessary."""
        if self._real is None:
            with _creation_lock:
                if self._real is None:
                    self._real = type(self).make_real()
        return self._real

    def is_free(self) -> bool:
        return self.holder is None

    def drop(self) -> None:
        """Mark the lock as free, without a scheduling point."""
        self.holder = None
        self.count = 0

    def _wait_until_free(self, me: Carrier, seconds: float | None) -> bool:
        """Wait until the lock is free, for at most `seconds` (None: no limit); return whether it is free."""
        engine = me.engine
        if seconds is None:
            engine.operate(me, ACQUIRE, self, self.is_free)
            return True
        if seconds == 0:
            engine.mark_observed("lock")
            engine.operate(me, TRY_ACQUIRE, self)
            return self.holder is None
        return wait(me, ACQUIRE, self, self.is_free, seconds)

    def _at_fork_reinit(self) -> None:
        self.real()._at_fork_reinit()
        self.drop()


@resembling(RealLock)
class Lock(_BaseLock):
    """The twin of `threading.Lock`."""

    __slots__ = ()

    __class__ = claimed_class(RealLock)
    make_real = staticmethod(_make_lock)
    real_kind = RealLock

    def __init_subclass__(cls) -> None:
        raise TypeError(f"type '{_NAME}' is not an acceptable base type")  # the error of a real lock

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        me = getcurrent()
        if type(me) is not Carrier:
            return bool(self.real().acquire(blocking, timeout))
        if blocking is not True or timeout != -1:
            seconds = waiting_seconds(blocking, timeout)
            if seconds is not None:
                return self._try(me, seconds)
        engine = me.engine
        me.kind = ACQUIRE  # inlines `operate` to save a call in the most frequent operation
        me.target = self
        me.ready = self.is_free
        engine.reach(me)
        me.ready = None
        self.holder = me
        me.own.held.append(self)
        if engine.observing:
            engine.happened(me, ACQUIRE, self)
        return True

    def _try(self, me: Carrier, seconds: float) -> bool:
        engine = me.engine
        free = self._wait_until_free(me, seconds)
        if free:
            self.holder = me
            me.own.held.append(self)
        if engine.observing:
            engine.happened(me, ACQUIRE if free else TRY_ACQUIRE, self, free)
        return free

    def release(self) -> None:
        me = getcurrent()
        if type(me) is not Carrier:
            self.real().release()
            return
        holder = self.holder
        if "lock" in me.engine.points.visible:
            me.engine.operate(me, RELEASE, self)
            holder = self.holder
        if holder is not me:  # the order of operations decides whether this release succeeds
            me.engine.mark_observed("lock")
        if holder is None:
            raise RuntimeError("release unlocked lock")
        self.holder = None
        if holder is not OUTSIDE:
            holder.own.held.remove(self)
        if me.engine.observing:
            me.engine.happened(me, RELEASE, self)

    def locked(self) -> bool:
        me = getcurrent()
        if type(me) is not Carrier:
            return bool(self.real().locked())
        me.engine.mark_observed("lock")
        me.engine.operate(me, LOCKED, self)
        return self.holder is not None

    __enter__ = acquire

    def __exit__(self, *exc: object) -> None:
        self.release()

    acquire_lock, release_lock, locked_lock = acquire, release, locked

    def __repr__(self) -> str:
        controlled = type(getcurrent()) is Carrier
        locked = self.holder is not None if controlled else self.real().locked()
        return f"<{'locked' if locked else 'unlocked'} _thread.lock object at {id(self):#x}>"

    def __reduce__(self) -> Any:
        raise TypeError("cannot pickle '_thread.lock' object")


@resembling(RealRLock)
class RLock(_BaseLock):
    """The twin of `threading.RLock`."""

    __slots__ = ()

    __class__ = claimed_class(RealRLock)
    make_real = staticmethod(_make_rlock)
    real_kind = RealRLock

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        me = getcurrent()
        if type(me) is not Carrier:
            return bool(self.real().acquire(blocking, timeout))
        seconds = None if blocking is True and timeout == -1 else waiting_seconds(blocking, timeout)
        engine = me.engine
        if self.holder is me:  # other threads cannot observe reentry, so no scheduling point is needed
            self.count += 1
            if engine.measuring:
                engine.noted(me, REENTER, self)
            return True
        free = self._wait_until_free(me, seconds)
        if free:
            self.holder = me
            self.count = 1
            me.own.held.append(self)
        if engine.observing:
            engine.happened(me, ACQUIRE if free else TRY_ACQUIRE, self, free)
        return free

    __enter__ = acquire

    if env.RLOCKS_HAVE_LOCKED:
        locked = Lock.locked

    def release(self) -> None:
        me = getcurrent()
        if type(me) is not Carrier:
            self.real().release()
            return
        if self.holder is not me:
            raise RuntimeError("cannot release un-acquired lock")
        if self.count > 1:
            self.count -= 1
            return
        if "lock" in me.engine.points.visible:
            me.engine.operate(me, RELEASE, self)
        self.drop()
        me.own.held.remove(self)
        if me.engine.observing:
            me.engine.happened(me, RELEASE, self)

    def __exit__(self, *exc: object) -> None:
        self.release()

    def _is_owned(self) -> bool:
        me = getcurrent()
        if type(me) is not Carrier:
            return bool(self.real()._is_owned())
        return self.holder is me

    def _recursion_count(self) -> int:
        me = getcurrent()
        if type(me) is not Carrier:
            return int(self.real()._recursion_count())
        return self.count if self.holder is me else 0

    def _release_save(self) -> Any:
        me = getcurrent()
        if type(me) is not Carrier:
            return self.real()._release_save()
        if self.holder is not me:
            raise RuntimeError("cannot release un-acquired lock")
        saved = self.count
        self.count = 1
        self.release()
        return saved

    def _acquire_restore(self, saved: Any) -> None:
        me = getcurrent()
        if type(me) is not Carrier:
            self.real()._acquire_restore(saved)
            return
        self.acquire()
        self.count = saved

    def __repr__(self) -> str:
        if type(getcurrent()) is not Carrier:
            return repr(self.real())
        state = "locked" if self.holder is not None else "unlocked"
        owner = self.holder.ident if self.holder.__class__ is Carrier else 0
        return f"<{state} _thread.RLock object owner={owner} count={self.count} at {id(self):#x}>"

    def __reduce__(self) -> Any:
        raise TypeError("cannot pickle '_thread.RLock' object")
