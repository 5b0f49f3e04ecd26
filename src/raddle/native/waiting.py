"""`Condition`, `Event`, `Semaphore` and `Barrier` of `threading`, watched: methods put in place of their own.

What gives is told before it happens, what takes after it has. Objects that were made before, or that are the
inside of another primitive, are not registered and act as always.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from raddle.native.locks import Lock, RLock
from raddle.native.makers import made_inside
from raddle.native.recorder import Recorder, Resource
from raddle.operation import ACQUIRE, BLOCKED, CLEAR, DOWN, NOTIFY, RELEASE, SET, UP, WAIT, WAIT_SET, WOKEN, Kind

__tracebackhide__ = True  # frames of this module, in what pytest shows

Patch = tuple[type, str, Callable[..., Any]]

OPERATIONS: dict[type, frozenset[str]] = {
    Lock: frozenset({"acquire", "release", "__enter__", "acquire_lock", "release_lock"}),
    RLock: frozenset({"acquire", "release", "__enter__"}),
    threading.Condition: frozenset({"acquire", "release", "__enter__", "wait", "wait_for", "notify", "notify_all"}),
    threading.Event: frozenset({"set", "clear", "wait", "is_set"}),
    threading.Semaphore: frozenset({"acquire", "release", "__enter__"}),
    threading.Barrier: frozenset({"wait"}),
}  # those that make steps


def registering(recorder: Recorder, cls: type) -> Patch:
    """A constructor that makes the object known, unless it is the inside of another one."""
    real = cls.__init__  # type: ignore[misc]

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        real(self, *args, **kwargs)
        if not made_inside(self):
            recorder.register(self, recorder.describe(self))

    return (cls, "__init__", init)


def giving(recorder: Recorder, cls: type, name: str, kind: Kind) -> Patch:
    """Return a patch of a method without arguments: it records its step, then does what it always did."""
    real = getattr(cls, name)

    def give(self: Any) -> None:
        resource = recorder.resource(self)
        if resource is not None:
            recorder.step(kind, resource, recorder.come()[1])
        real(self)

    return (cls, name, give)


def patches(recorder: Recorder) -> list[Patch]:
    """What to put in place of what."""
    return [*_of_condition(recorder), *_of_event(recorder), *_of_semaphore(recorder), *_of_barrier(recorder)]


def _of_condition(recorder: Recorder) -> list[Patch]:
    """A condition is told of if its lock is; while it waits, it tells of its lock too."""
    Condition = threading.Condition  # noqa: N806 -- a class
    real_wait, real_wait_for, real_notify = Condition.wait, Condition.wait_for, Condition.notify

    def known(condition: Any) -> Resource | None:
        return recorder.resource(condition) if isinstance(condition._lock, (RLock, Lock)) else None

    def wait(self: Any, timeout: float | None = None) -> bool:
        resource, lock = known(self), self._lock
        if resource is None or not _is_taken(lock):
            return real_wait(self, timeout)
        me, site = recorder.come()
        if me.busy:
            return real_wait(self, timeout)
        recorder.step(RELEASE, lock.resource, site)
        recorder.step(WAIT, resource, site)
        before, me.quiet = me.quiet, lock
        woken = False
        try:
            woken = real_wait(self, timeout)
        finally:
            me.quiet = before
            if woken:
                recorder.step(WOKEN, resource, site)
            recorder.step(ACQUIRE, lock.resource, site)
        return woken

    def wait_for(self: Any, predicate: Callable[[], Any], timeout: float | None = None) -> Any:
        if known(self) is None:
            return real_wait_for(self, predicate, timeout)
        me, site = recorder.come()

        def again() -> Any:
            result = predicate()
            me.site = site
            return result

        try:
            return real_wait_for(self, again, timeout)
        finally:
            me.site = 0

    def notify(self: Any, n: int = 1) -> None:
        resource = known(self)
        if resource is not None and _is_taken(self._lock):
            recorder.step(NOTIFY, resource, recorder.come()[1])
        real_notify(self, n)

    return [
        registering(recorder, Condition),
        (Condition, "wait", wait),
        (Condition, "wait_for", wait_for),
        (Condition, "notify", notify),
    ]


def _is_taken(lock: Any) -> bool:
    """May a condition over this lock be waited on? A plain lock does not know whose it is."""
    return bool(lock._is_owned() if isinstance(lock, RLock) else lock.locked())


def _of_event(recorder: Recorder) -> list[Patch]:
    Event = threading.Event  # noqa: N806 -- a class
    real_wait, real_is_set = Event.wait, Event.is_set

    def wait(self: Any, timeout: float | None = None) -> bool:
        resource = recorder.resource(self)
        if resource is None:
            return real_wait(self, timeout)
        _, site = recorder.come()
        if not real_is_set(self) and (timeout is None or timeout > 0):
            recorder.step(BLOCKED, resource, site)
        was_set = real_wait(self, timeout)
        if was_set:
            recorder.step(WAIT_SET, resource, site)
        return was_set

    def is_set(self: Any) -> bool:
        """Who sees that it is set knows what was done before, as after waiting."""
        was_set = real_is_set(self)
        resource = recorder.resource(self)
        if resource is not None:
            _, site = recorder.come()
            if was_set:
                recorder.step(WAIT_SET, resource, site)
        return was_set

    return [
        registering(recorder, Event),
        (Event, "wait", wait),
        (Event, "is_set", is_set),
        giving(recorder, Event, "set", SET),
        giving(recorder, Event, "clear", CLEAR),
    ]


def _of_semaphore(recorder: Recorder) -> list[Patch]:
    Semaphore, Bounded = threading.Semaphore, threading.BoundedSemaphore  # noqa: N806 -- classes
    real_acquire = Semaphore.acquire

    def acquire(self: Any, blocking: bool = True, timeout: float | None = None) -> bool:
        resource = recorder.resource(self)
        if resource is None:
            return real_acquire(self, blocking, timeout)
        _, site = recorder.come()
        got = False
        if blocking and (timeout is None or timeout > 0):
            got = real_acquire(self, False)
            if not got:
                recorder.step(BLOCKED, resource, site)
        got = got or real_acquire(self, blocking, timeout)
        if got:
            recorder.step(DOWN, resource, site)
        return got

    def releasing(real_release: Callable[..., None]) -> Callable[..., None]:
        def release(self: Any, n: int = 1) -> None:
            resource = recorder.resource(self)
            if resource is not None and n >= 1:
                recorder.step(UP, resource, recorder.come()[1])
            real_release(self, n)

        return release

    return [
        registering(recorder, Semaphore),
        (Semaphore, "acquire", acquire),
        (Semaphore, "__enter__", acquire),
        (Semaphore, "release", releasing(Semaphore.release)),
        (Bounded, "release", releasing(Bounded.release)),
    ]


def _of_barrier(recorder: Recorder) -> list[Patch]:
    """Who comes to a barrier gives to everybody there, and who goes on takes from all: as from a semaphore."""
    real_wait = threading.Barrier.wait

    def wait(self: Any, timeout: float | None = None) -> int:
        resource = recorder.resource(self)
        if resource is None:
            return real_wait(self, timeout)
        _, site = recorder.come()
        recorder.step(UP, resource, site)
        index = real_wait(self, timeout)
        recorder.step(DOWN, resource, site)
        return index

    return [registering(recorder, threading.Barrier), (threading.Barrier, "wait", wait)]
