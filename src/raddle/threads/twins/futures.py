"""Patches that make `concurrent.futures` deterministic and measurable.

The package's own code runs on the twins of threads, locks, conditions and queues. But it sorts futures by `id` and
stores them in sets, so each future gets a number in a controlled execution.

For criteria, a pool is a queue of tasks and a future is an event, as in native executions (`raddle.native.pools`).
Submitting a task is a put, and starting it in a worker is a get. Storing the result sets the event, and reading it
waits for the event.
"""

from __future__ import annotations

import concurrent.futures._base as base
import concurrent.futures.thread as pool
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from raddle import env
from raddle.engine.carrier import Carrier, getcurrent
from raddle.inspection import function_name
from raddle.operation import CREATED, GET, PUT, SET, TASK, WAIT_SET
from raddle.threads.data_model.library import called_by_library

NUMBER = "_raddle_number"
_POOL = "_raddle_pool"  # key under which a future's `__dict__` stores a weak reference to its pool
_real_run = pool._WorkItem.run
_real_pool_init = pool.ThreadPoolExecutor.__init__
_real_submit = pool.ThreadPoolExecutor.submit
_real_init: Callable[..., None] = base.Future.__init__
_real_add_done_callback = base.Future.add_done_callback
_real_wait = base.wait
_real_as_completed = base.as_completed


def number_of(future: Any) -> int:
    """Return a future's number in a controlled execution, or its id elsewhere."""
    number = future.__dict__.get(NUMBER)
    if number is not None:
        return number  # type: ignore[no-any-return]
    me = getcurrent()
    if me.__class__ is not Carrier:
        return id(future)
    me.own.world.numbered += 1
    future.__dict__[NUMBER] = me.own.world.numbered
    return me.own.world.numbered  # type: ignore[no-any-return]


def identify(obj: object) -> int:
    """Replace `id` in `concurrent.futures`: return the number of a future and the id of any other object."""
    return number_of(obj) if isinstance(obj, base.Future) else id(obj)


def function_of(item: Any) -> Any:
    """Return the function that a pool's work item calls."""
    return item.task[0] if env.WORK_ITEMS_HOLD_TASKS else item.fn


def _measured_carrier() -> Any:
    """Return the running carrier if criteria measure the execution, else None."""
    me = getcurrent()
    return me if me.__class__ is Carrier and me.engine.measuring else None


def init_pool(self: Any, *args: Any, **kwargs: Any) -> None:
    _real_pool_init(self, *args, **kwargs)
    me = _measured_carrier()
    if me is not None:
        me.engine.noted(me, CREATED, self)


def submit(self: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
    me = _measured_carrier()
    if me is None:
        return _real_submit(self, fn, *args, **kwargs)
    previous, me.own.submitting = me.own.submitting, self
    try:
        return _real_submit(self, fn, *args, **kwargs)
    finally:
        me.own.submitting = previous


def init(self: Any) -> None:
    _real_init(self)
    me = _measured_carrier()
    if me is None:
        return
    me.engine.noted(me, CREATED, self)
    submitting, me.own.submitting = me.own.submitting, None
    if submitting is not None:  # the pool accepts the task before any worker can get it
        self.__dict__[_POOL] = weakref.ref(submitting)
        me.engine.noted(me, PUT, submitting)


def run_item(item: Any, *context: Any) -> None:
    """Run a work item in a pool's worker. Criteria treat each item as a separate thread."""
    me = _measured_carrier()
    if me is not None:
        me.engine.noted(me, TASK, function_name(function_of(item)))
        submitted = item.future.__dict__.get(_POOL)
        executor = submitted() if submitted is not None else None
        if executor is not None:
            me.engine.noted(me, GET, executor)
    _real_run(item, *context)


def begin_task(name: str) -> None:
    """Report the start of a task in the program's own thread pool (see `raddle.begin_task`)."""
    me = _measured_carrier()
    if me is not None:
        me.engine.noted(me, TASK, name)


def _completing(real: Callable[..., None]) -> Callable[..., None]:
    def complete(self: Any, value: Any) -> None:
        me = _measured_carrier()
        if me is not None and not _is_done(self):
            me.engine.noted(me, SET, self)
        real(self, value)

    return complete


def _reading_result(real: Callable[..., Any]) -> Callable[..., Any]:
    def read(self: Any, *timeout: Any, **kwargs: Any) -> Any:
        me = _measured_carrier()
        if me is None:
            return real(self, *timeout, **kwargs)
        try:
            return real(self, *timeout, **kwargs)
        finally:
            if called_by_library():
                _note_done(self)
            elif _is_done(self):
                me.engine.noted(me, WAIT_SET, self)

    return read


def _is_done(future: Any) -> bool:
    return future._state in (base.CANCELLED, base.CANCELLED_AND_NOTIFIED, base.FINISHED)


def _note_done(future: Any) -> None:
    """Report that the running thread has observed, in code without probes, that a future is done."""
    me = _measured_carrier()
    if me is not None and _is_done(future):
        site, me.site = me.site, 0
        me.engine.noted(me, WAIT_SET, future)
        me.site = site


def add_done_callback(self: Any, fn: Any) -> None:
    _note_done(self)  # if the future is done, this thread calls the callback immediately
    _real_add_done_callback(self, fn)


def wait(fs: Any, timeout: float | None = None, return_when: str = base.ALL_COMPLETED) -> Any:
    result = _real_wait(fs, timeout, return_when)
    for future in sorted(result.done, key=number_of):
        _note_done(future)
    return result


def as_completed(fs: Any, timeout: float | None = None) -> Iterator[Any]:
    for future in _real_as_completed(fs, timeout):
        _note_done(future)
        yield future


PATCHES: tuple[tuple[type, str, Any], ...] = (
    (base.Future, "__hash__", number_of),
    (base.Future, "__init__", init),
    (base.Future, "set_result", _completing(base.Future.set_result)),
    (base.Future, "set_exception", _completing(base.Future.set_exception)),
    (base.Future, "result", _reading_result(base.Future.result)),
    (base.Future, "exception", _reading_result(base.Future.exception)),
    (base.Future, "done", _reading_result(base.Future.done)),
    (base.Future, "add_done_callback", add_done_callback),
    (pool.ThreadPoolExecutor, "__init__", init_pool),
    (pool.ThreadPoolExecutor, "submit", submit),
    (pool._WorkItem, "run", run_item),
)
NAMES: dict[Any, Any] = {_real_wait: wait, _real_as_completed: as_completed}
