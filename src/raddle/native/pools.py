"""Records the operations of `ThreadPoolExecutor` and its futures.

A pool is recorded as a queue of tasks: submitting is a put, and starting a task is a get. A future is recorded as an
event: setting the result sets the event, and reading the result waits for it. Each task is a separate actor, since one
worker runs many unrelated tasks.
"""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import _base as base
from concurrent.futures import thread as pool
from typing import Any

from raddle.inspection import function_name
from raddle.native.internals import is_made_internally
from raddle.native.primitives import Patch, patch_constructor, patch_under_condition
from raddle.native.recorder import Recorder
from raddle.operation import GET, PUT, SET, WAIT_SET
from raddle.threads.twins.futures import function_of
from raddle.threads.twins.resemblance import resemble

__tracebackhide__ = True  # hide the frames of this module in pytest's tracebacks

OPERATIONS: dict[type, frozenset[str]] = {
    ThreadPoolExecutor: frozenset({"submit", "map"}),
    Future: frozenset({"result", "exception", "done", "set_result", "set_exception"}),
}


def patches(recorder: Recorder) -> list[Patch]:
    """Return the patches of `ThreadPoolExecutor` and `Future`."""
    return [*_pool_patches(recorder), *_future_patches(recorder)]


def _pool_patches(recorder: Recorder) -> list[Patch]:
    real_submit, real_run = ThreadPoolExecutor.submit, pool._WorkItem.run

    def submit(self: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        thread, site = recorder.enter_primitive()
        resource = recorder.resource(self)
        before, thread.submitting = thread.submitting, (resource, site) if resource is not None else None
        try:
            return real_submit(self, fn, *args, **kwargs)
        finally:
            thread.submitting = before

    def run(item: Any, *context: Any) -> None:
        future = recorder.resource(item.future)
        if future is not None:
            recorder.begin_task(function_name(function_of(item)))
            if future.pool is not None:
                recorder.record_on(GET, future.pool, 0)
        real_run(item, *context)

    return [
        patch_constructor(recorder, ThreadPoolExecutor),
        (ThreadPoolExecutor, "submit", submit),
        (pool._WorkItem, "run", run),
    ]


def _future_patches(recorder: Recorder) -> list[Patch]:
    real_init: Callable[..., None] = Future.__init__

    def init(self: Any) -> None:
        real_init(self)
        thread = recorder.local.thread
        submitting, thread.submitting = thread.submitting, None
        if submitting is not None:
            # The pool accepts the task here. No worker can have taken it yet, so the put is recorded now.
            recorder.record_on(PUT, *submitting)
        if submitting is not None or not is_made_internally(self):
            resource = recorder.make_resource(self)
            resource.pool = submitting[0] if submitting is not None else None
            recorder.register(self, resource)

    def waiting(real: Callable[..., Any]) -> Callable[..., Any]:
        def wait_for_result(self: Any, timeout: float | None = None) -> Any:
            resource = recorder.resource(self)
            if resource is None:
                return real(self, timeout)
            _, site = recorder.enter_primitive()
            try:
                return real(self, timeout)
            finally:
                if real_done(self):
                    recorder.record_on(WAIT_SET, resource, site)

        return wait_for_result

    real_done: Callable[[Any], bool] = Future.done

    def done(self: Any) -> bool:
        is_done = real_done(self)
        resource = recorder.resource(self) if is_done else None
        if resource is not None:
            recorder.record_on(WAIT_SET, resource, recorder.enter_primitive()[1])
        return is_done

    real_add_done_callback = Future.add_done_callback

    def add_done_callback(self: Any, fn: Any) -> None:
        _record_if_done(recorder, self)  # if the future is done, this thread calls `fn` immediately
        real_add_done_callback(self, fn)

    return [
        (Future, "__init__", init),
        (Future, "add_done_callback", add_done_callback),
        patch_under_condition(recorder, Future, "set_result", SET, "_condition"),
        patch_under_condition(recorder, Future, "set_exception", SET, "_condition"),
        (Future, "result", waiting(Future.result)),
        (Future, "exception", waiting(Future.exception)),
        (Future, "done", done),
    ]


def function_patches(recorder: Recorder) -> list[tuple[Any, str, Any]]:
    """Return the replacements for functions of `concurrent.futures`."""
    real_wait, real_as_completed = base.wait, base.as_completed

    def wait(fs: Any, timeout: float | None = None, return_when: str = base.ALL_COMPLETED) -> Any:
        result = real_wait(fs, timeout, return_when)
        for future in result.done:
            _record_if_done(recorder, future)
        return result

    def as_completed(fs: Any, timeout: float | None = None) -> Iterator[Any]:
        for future in real_as_completed(fs, timeout):
            _record_if_done(recorder, future)
            yield future

    resemble(wait, real_wait)
    resemble(as_completed, real_as_completed)
    return [
        (module, name, function)
        for module in (concurrent.futures, base)
        for name, function in (("wait", wait), ("as_completed", as_completed))
    ]


def _record_if_done(recorder: Recorder, future: Any) -> None:
    """If the future is done, record that the running thread has observed its completion."""
    resource = recorder.resource(future)
    if resource is not None and future._state in (base.CANCELLED, base.CANCELLED_AND_NOTIFIED, base.FINISHED):
        recorder.record_on(WAIT_SET, resource, 0)
