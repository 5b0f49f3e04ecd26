"""`ThreadPoolExecutor` and its futures, watched.

A pool is a queue of tasks, a future an event: submitting puts and a worker gets, a result sets and whoever asks
for it waits. Each task is an actor of its own, since a worker is as many things as it has tasks.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import thread as pool
from typing import Any

from raddle.inspection import function_name
from raddle.native.makers import made_inside
from raddle.native.recorder import Recorder
from raddle.native.waiting import Patch, registering, taking_effect_inside
from raddle.operation import GET, PUT, SET, WAIT_SET
from raddle.threads.twins.futures import function_of

__tracebackhide__ = True  # frames of this module, in what pytest shows

OPERATIONS: dict[type, frozenset[str]] = {
    ThreadPoolExecutor: frozenset({"submit", "map"}),
    Future: frozenset({"result", "exception", "done", "set_result", "set_exception"}),
}


def patches(recorder: Recorder) -> list[Patch]:
    """What to put in place of what."""
    return [*_of_pool(recorder), *_of_future(recorder)]


def _of_pool(recorder: Recorder) -> list[Patch]:
    real_submit, real_run = ThreadPoolExecutor.submit, pool._WorkItem.run

    def submit(self: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        me, site = recorder.come()
        resource = recorder.resource(self)
        before, me.submitting = me.submitting, (resource, site) if resource is not None else None
        try:
            return real_submit(self, fn, *args, **kwargs)
        finally:
            me.submitting = before

    def run(item: Any, *context: Any) -> None:
        future = recorder.resource(item.future)
        if future is not None:
            recorder.task(function_name(function_of(item)))
            if future.pool is not None:
                recorder.step(GET, future.pool, 0)
        real_run(item, *context)

    return [
        registering(recorder, ThreadPoolExecutor),
        (ThreadPoolExecutor, "submit", submit),
        (pool._WorkItem, "run", run),
    ]


def _of_future(recorder: Recorder) -> list[Patch]:
    real_init: Callable[..., None] = Future.__init__

    def init(self: Any) -> None:
        real_init(self)
        me = recorder.here.me
        submitting, me.submitting = me.submitting, None
        if submitting is not None:
            # The pool takes the task, and no worker has it yet: that is when it is put there.
            recorder.step(PUT, *submitting)
        if submitting is not None or not made_inside(self):
            resource = recorder.describe(self)
            resource.pool = submitting[0] if submitting is not None else None
            recorder.register(self, resource)

    def taking(real: Callable[..., Any]) -> Callable[..., Any]:
        def take(self: Any, timeout: float | None = None) -> Any:
            resource = recorder.resource(self)
            if resource is None:
                return real(self, timeout)
            _, site = recorder.come()
            try:
                return real(self, timeout)
            finally:
                if real_done(self):
                    recorder.step(WAIT_SET, resource, site)

        return take

    real_done: Callable[[Any], bool] = Future.done

    def done(self: Any) -> bool:
        is_done = real_done(self)
        resource = recorder.resource(self) if is_done else None
        if resource is not None:
            recorder.step(WAIT_SET, resource, recorder.come()[1])
        return is_done

    return [
        (Future, "__init__", init),
        taking_effect_inside(recorder, Future, "set_result", SET, "_condition"),
        taking_effect_inside(recorder, Future, "set_exception", SET, "_condition"),
        (Future, "result", taking(Future.result)),
        (Future, "exception", taking(Future.exception)),
        (Future, "done", done),
    ]
