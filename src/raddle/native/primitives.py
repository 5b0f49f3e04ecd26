"""Patches the methods of `Condition`, `Event`, `Semaphore` and `Barrier` in `threading` to record their operations.

An operation that acquires is recorded after it has happened. An operation that releases is recorded before another
thread can acquire. If both operations need the same lock, the release is recorded while that lock is held (see
`Recorder.under_condition`); otherwise it is recorded before it happens. Objects that were created before the watch, or
as parts of another primitive, are not registered and behave as usual.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from raddle.native.internals import is_made_internally
from raddle.native.locks import Lock, RLock
from raddle.native.recorder import Recorder, Resource
from raddle.operation import (
    ACQUIRE,
    BLOCKED,
    CLEAR,
    DOWN,
    FAILED,
    NOTIFY,
    RELEASE,
    SET,
    UP,
    WAIT,
    WAIT_SET,
    WOKEN,
    Kind,
)

__tracebackhide__ = True  # hide the frames of this module in pytest's tracebacks

Patch = tuple[type, str, Callable[..., Any]]

OPERATIONS: dict[type, frozenset[str]] = {
    Lock: frozenset({"acquire", "release", "__enter__", "acquire_lock", "release_lock"}),
    RLock: frozenset({"acquire", "release", "__enter__"}),
    threading.Condition: frozenset({"acquire", "release", "__enter__", "wait", "wait_for", "notify", "notify_all"}),
    threading.Event: frozenset({"set", "clear", "wait", "is_set"}),
    threading.Semaphore: frozenset({"acquire", "release", "__enter__"}),
    threading.Barrier: frozenset({"wait"}),
}  # maps a class to the methods that record steps


def patch_constructor(recorder: Recorder, cls: type) -> Patch:
    """Return a patch of the constructor that registers the new object, unless it is part of another primitive."""
    real = cls.__init__  # type: ignore[misc]

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        real(self, *args, **kwargs)
        if not is_made_internally(self):
            recorder.register(self, recorder.make_resource(self))

    return (cls, "__init__", init)


def patch_under_condition(
    recorder: Recorder, cls: type, name: str, kind: Kind, condition: str, *, fails_by: type[Exception] | None = None
) -> Patch:
    """Return a patch for a method that changes its object while holding the lock of a condition.

    `condition` names the attribute that holds the condition. `fails_by` is the exception that the method raises when it
    has no effect, such as `queue.Full`. No step is recorded for other exceptions.
    """
    real = getattr(cls, name)

    def act(self: Any, *args: Any, **kwargs: Any) -> Any:
        resource = recorder.resource(self)
        if resource is None:
            return real(self, *args, **kwargs)
        with recorder.under_condition(getattr(self, condition), kind, resource, fails_by=fails_by):
            return real(self, *args, **kwargs)

    return (cls, name, act)


def patches(recorder: Recorder) -> list[Patch]:
    """Return the patches of all primitives in this module."""
    return [
        *_condition_patches(recorder),
        *_event_patches(recorder),
        *_semaphore_patches(recorder),
        *_barrier_patches(recorder),
    ]


def _condition_patches(recorder: Recorder) -> list[Patch]:
    """Return the patches of `Condition`. A condition is recorded only if its lock is.

    A wait also records that it releases the lock and acquires it again.
    """
    Condition = threading.Condition  # noqa: N806 -- holds a class
    real_wait, real_wait_for, real_notify = Condition.wait, Condition.wait_for, Condition.notify
    real_leave = Condition.__exit__

    def resource_of(condition: Any) -> Resource | None:
        # Compare the type: a real lock, such as the mutex of a queue, is an instance of `Lock` too but has no resource.
        return recorder.resource(condition) if issubclass(type(condition._lock), (RLock, Lock)) else None

    def wait(self: Any, timeout: float | None = None) -> bool:
        resource, lock = resource_of(self), self._lock
        if resource is None or not _is_held(lock):
            recorder.note_wait(self)
            return real_wait(self, timeout)
        thread, site = recorder.enter_primitive()
        if thread.busy:
            return real_wait(self, timeout)
        recorder.record_on(RELEASE, lock.resource, site)
        recorder.record_on(WAIT, resource, site)
        before, thread.unrecorded_lock = thread.unrecorded_lock, lock
        woken = False
        try:
            woken = real_wait(self, timeout)
        finally:
            thread.unrecorded_lock = before
            if woken:
                recorder.record_on(WOKEN, resource, site)
            recorder.record_on(ACQUIRE, lock.resource, site)
        return woken

    def wait_for(self: Any, predicate: Callable[[], Any], timeout: float | None = None) -> Any:
        if resource_of(self) is None:
            return real_wait_for(self, predicate, timeout)
        thread, site = recorder.enter_primitive()

        def predicate_at_site() -> Any:
            result = predicate()
            thread.call_site = site
            return result

        try:
            return real_wait_for(self, predicate_at_site, timeout)
        finally:
            thread.call_site = 0

    def notify(self: Any, n: int = 1) -> None:
        resource = resource_of(self)
        if resource is not None and _is_held(self._lock):
            recorder.record_on(NOTIFY, resource, recorder.enter_primitive()[1])
        real_notify(self, n)

    def leave(self: Any, *exc: Any) -> Any:
        if exc[0] is None:
            recorder.note_release(self)
        return real_leave(self, *exc)

    return [
        patch_constructor(recorder, Condition),
        (Condition, "__exit__", leave),
        (Condition, "wait", wait),
        (Condition, "wait_for", wait_for),
        (Condition, "notify", notify),
    ]


def _is_held(lock: Any) -> bool:
    """Return whether the lock is held: a reentrant lock by the running thread, a plain lock by any thread."""
    return bool(lock._is_owned() if isinstance(lock, RLock) else lock.locked())


def _event_patches(recorder: Recorder) -> list[Patch]:
    Event = threading.Event  # noqa: N806 -- holds a class
    real_wait, real_is_set, real_set = Event.wait, Event.is_set, Event.set

    def set_(self: Any) -> None:
        """Record the step before setting the flag, since other threads can read the flag without a lock."""
        resource = recorder.resource(self)
        if resource is not None:
            recorder.record_on(SET, resource, recorder.enter_primitive()[1])
        real_set(self)

    def wait(self: Any, timeout: float | None = None) -> bool:
        resource = recorder.resource(self)
        if resource is None:
            return real_wait(self, timeout)
        _, site = recorder.enter_primitive()
        if not real_is_set(self) and (timeout is None or timeout > 0):
            recorder.record_on(BLOCKED, resource, site)
        was_set = real_wait(self, timeout)
        recorder.record_on(WAIT_SET if was_set else FAILED, resource, site)
        return was_set

    def is_set(self: Any) -> bool:
        """If the flag is set, record a completed wait, because the call to `set` happened before this call."""
        was_set = real_is_set(self)
        resource = recorder.resource(self)
        if resource is not None:
            _, site = recorder.enter_primitive()
            if was_set:
                recorder.record_on(WAIT_SET, resource, site)
        return was_set

    return [
        patch_constructor(recorder, Event),
        (Event, "wait", wait),
        (Event, "is_set", is_set),
        (Event, "set", set_),
        patch_under_condition(recorder, Event, "clear", CLEAR, "_cond"),
    ]


def _semaphore_patches(recorder: Recorder) -> list[Patch]:
    Semaphore, Bounded = threading.Semaphore, threading.BoundedSemaphore  # noqa: N806 -- hold classes
    real_acquire = Semaphore.acquire

    def acquire(self: Any, blocking: bool = True, timeout: float | None = None) -> bool:
        resource = recorder.resource(self)
        if resource is None:
            return real_acquire(self, blocking, timeout)
        _, site = recorder.enter_primitive()
        got = False
        if blocking and (timeout is None or timeout > 0):
            got = real_acquire(self, False)
            if not got:
                recorder.record_on(BLOCKED, resource, site)
        got = got or real_acquire(self, blocking, timeout)
        recorder.record_on(DOWN if got else FAILED, resource, site)
        return got

    def enter(self: Any, blocking: bool = True, timeout: float | None = None) -> bool:
        with recorder.entering_with(self):
            return acquire(self, blocking, timeout)

    def leave(self: Any, *exc: object) -> None:
        thread = recorder.local.thread
        thread.call_site = thread.leave_with(self)
        self.release()

    return [
        patch_constructor(recorder, Semaphore),
        (Semaphore, "acquire", acquire),
        (Semaphore, "__enter__", enter),
        (Semaphore, "__exit__", leave),
        patch_under_condition(recorder, Semaphore, "release", UP, "_cond"),
        patch_under_condition(recorder, Bounded, "release", UP, "_cond"),
    ]


def _barrier_patches(recorder: Recorder) -> list[Patch]:
    """Return the patches of `Barrier`.

    A barrier is modeled as a semaphore: a thread that arrives releases it, and a thread that leaves acquires it.
    """
    real_wait = threading.Barrier.wait

    def wait(self: Any, timeout: float | None = None) -> int:
        resource = recorder.resource(self)
        if resource is None:
            return real_wait(self, timeout)
        _, site = recorder.enter_primitive()
        recorder.record_on(UP, resource, site)
        index = real_wait(self, timeout)
        recorder.record_on(DOWN, resource, site)
        return index

    return [patch_constructor(recorder, threading.Barrier), (threading.Barrier, "wait", wait)]
