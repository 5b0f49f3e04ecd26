"""Twins of `threading.Lock` and `threading.RLock`.

Under control a twin is a few fields that the controller can look at. Outside of an execution it hands
everything to a real lock, so that one left behind by the code under test goes on working.
"""

from __future__ import annotations

import _thread
from typing import Any

from raddle.sync.carrier import Carrier, getcurrent

RealLock = _thread.LockType
RealRLock = _thread.RLock
_TIMEOUT_MAX = _thread.TIMEOUT_MAX
_allocate = _thread.allocate_lock
_make_rlock = _thread.RLock
OUTSIDE = object()  # holds a lock that was taken before the execution began


def waiting_seconds(blocking: bool, timeout: float) -> float | None:
    """Check the arguments of `acquire` as CPython does; None: wait for ever."""
    if timeout == -1:
        return None if blocking else 0.0
    if not blocking:
        raise ValueError("can't specify a timeout for a non-blocking call")
    if timeout < 0:
        raise ValueError("timeout value must be a non-negative number")
    if timeout > _TIMEOUT_MAX:
        raise OverflowError("timeout value is too large")
    return float(timeout)


class Lock:
    """The twin of `threading.Lock`."""

    __slots__ = ("__weakref__", "_real", "holder", "taken_at")

    def __new__(cls, real: Any = None) -> Any:
        if real is None and getcurrent().__class__ is not Carrier:
            return _allocate()
        return super().__new__(cls)

    @classmethod
    def twin(cls) -> Any:
        """A twin, also outside of an execution."""
        return cls(_allocate())

    def __init__(self, real: Any = None) -> None:
        self._real = real or _allocate()
        self.holder: Any = None  # the carrier that acquired it
        self.taken_at: Any = None

    def is_free(self) -> bool:
        return self.holder is None

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        me = getcurrent()
        if me.__class__ is not Carrier:
            return self._real.acquire(blocking, timeout)
        if blocking is not True or timeout != -1:
            seconds = waiting_seconds(blocking, timeout)
            if seconds is not None:
                return self._try(me, seconds)
        me.kind = "acquire"
        me.target = self
        me.ready = self.is_free
        me.control.reach(me)
        me.ready = None
        self.holder = me
        me.held.append(self)
        if me.control.observing:
            me.control.happened(me, "acquire", self)
        return True

    def _try(self, me: Carrier, seconds: float) -> bool:
        control = me.control
        if seconds == 0:
            control.observe("lock")
            me.kind, me.target, me.ready = "try-acquire", self, None
            control.reach(me)
            free = self.holder is None
        else:
            free = control.wait(me, "acquire", self, self.is_free, seconds)
        if free:
            self.holder = me
            me.held.append(self)
        if control.observing:
            control.happened(me, "acquire" if free else "try-acquire", self, free)
        return free

    def release(self) -> None:
        me = getcurrent()
        if me.__class__ is not Carrier:
            self._real.release()
            return
        holder = self.holder
        if "lock" in me.control.visible:
            me.kind, me.target, me.ready = "release", self, None
            me.control.reach(me)
            holder = self.holder
        if holder is None:
            raise RuntimeError("release unlocked lock")
        self.holder = None
        if holder is not OUTSIDE:
            holder.held.remove(self)
        if me.control.observing:
            me.control.happened(me, "release", self)

    def locked(self) -> bool:
        me = getcurrent()
        if me.__class__ is not Carrier:
            return self._real.locked()
        me.control.observe("lock")
        me.kind, me.target, me.ready = "locked", self, None
        me.control.reach(me)
        return self.holder is not None

    def __enter__(self) -> bool:
        me = getcurrent()
        if me.__class__ is not Carrier:
            return self._real.__enter__()
        me.kind = "acquire"
        me.target = self
        me.ready = self.is_free
        me.control.reach(me)
        me.ready = None
        self.holder = me
        me.held.append(self)
        if me.control.observing:
            me.control.happened(me, "acquire", self)
        return True

    def __exit__(self, *exc: object) -> None:
        self.release()

    acquire_lock, release_lock, locked_lock = acquire, release, locked

    def _at_fork_reinit(self) -> None:
        self._real._at_fork_reinit()
        self.holder = None

    def __repr__(self) -> str:
        state = "locked" if self.holder is not None or self._real.locked() else "unlocked"
        return f"<{state} _thread.lock object at {id(self):#x}>"

    def drop(self) -> None:
        """The execution that held it is over."""
        self.holder = None


class RLock:
    """The twin of `threading.RLock`."""

    __slots__ = ("__weakref__", "_real", "count", "holder", "taken_at")

    def __new__(cls, real: Any = None) -> Any:
        if real is None and getcurrent().__class__ is not Carrier:
            return _make_rlock()
        return super().__new__(cls)

    def __init__(self, real: Any = None) -> None:
        self._real = real or _make_rlock()
        self.holder: Any = None
        self.count = 0
        self.taken_at: Any = None

    def is_free(self) -> bool:
        return self.holder is None

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        me = getcurrent()
        if me.__class__ is not Carrier:
            return self._real.acquire(blocking, timeout)
        seconds = waiting_seconds(blocking, timeout)
        if self.holder is me:  # nobody else can tell: no scheduling point
            self.count += 1
            return True
        control = me.control
        if seconds is None:
            me.kind, me.target, me.ready = "acquire", self, self.is_free
            control.reach(me)
            me.ready = None
            free = True
        elif seconds == 0:
            control.observe("lock")
            me.kind, me.target, me.ready = "try-acquire", self, None
            control.reach(me)
            free = self.holder is None
        else:
            free = control.wait(me, "acquire", self, self.is_free, seconds)
        if free:
            self.holder = me
            self.count = 1
            me.held.append(self)
        if control.observing:
            control.happened(me, "acquire" if free else "try-acquire", self, free)
        return free

    __enter__ = acquire

    def release(self) -> None:
        me = getcurrent()
        if me.__class__ is not Carrier:
            self._real.release()
            return
        if self.holder is not me:
            raise RuntimeError("cannot release un-acquired lock")
        if self.count > 1:
            self.count -= 1
            return
        if "lock" in me.control.visible:
            me.kind, me.target, me.ready = "release", self, None
            me.control.reach(me)
        self.drop()
        me.held.remove(self)
        if me.control.observing:
            me.control.happened(me, "release", self)

    def __exit__(self, *exc: object) -> None:
        self.release()

    def _is_owned(self) -> bool:
        me = getcurrent()
        if me.__class__ is not Carrier:
            return self._real._is_owned()
        return self.holder is me

    def _recursion_count(self) -> int:
        me = getcurrent()
        if me.__class__ is not Carrier:
            return self._real._recursion_count()
        return self.count if self.holder is me else 0

    def _release_save(self) -> Any:
        me = getcurrent()
        if me.__class__ is not Carrier:
            return self._real._release_save()
        if self.holder is not me:
            raise RuntimeError("cannot release un-acquired lock")
        saved = self.count
        self.count = 1
        self.release()
        return saved

    def _acquire_restore(self, saved: Any) -> None:
        me = getcurrent()
        if me.__class__ is not Carrier:
            self._real._acquire_restore(saved)
            return
        self.acquire()
        self.count = saved

    def _at_fork_reinit(self) -> None:
        self._real._at_fork_reinit()
        self.drop()

    def __repr__(self) -> str:
        state = "locked" if self.holder is not None else "unlocked"
        owner = getattr(self.holder, "ident", 0)
        return f"<{state} _thread.RLock object owner={owner} count={self.count} at {id(self):#x}>"

    def drop(self) -> None:
        """The execution that held it is over."""
        self.holder = None
        self.count = 0
