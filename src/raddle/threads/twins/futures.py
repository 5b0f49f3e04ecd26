"""What `concurrent.futures` needs to run the same way twice.

Its pool, futures, `wait` and `as_completed` run as they are, on the twins of threads, locks, conditions
and queues. But they sort futures by `id` and keep them in sets, so under control futures are numbered.

For criteria a pool is a queue of tasks and a future an event, as in native runs (`raddle.native.pools`): submitting
puts and a worker gets, a result sets and the thread that asks for it waits.
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
_POOL = "_raddle_pool"  # in the dict of a future: a weak reference to the pool that will bring it about
_real_run = pool._WorkItem.run
_real_pool_init = pool.ThreadPoolExecutor.__init__
_real_submit = pool.ThreadPoolExecutor.submit
_real_init: Callable[..., None] = base.Future.__init__
_real_add_done_callback = base.Future.add_done_callback
_real_wait = base.wait
_real_as_completed = base.as_completed


def number_of(future: Any) -> int:
    """The future's number under control, elsewhere its address."""
    known = future.__dict__.get(NUMBER)
    if known is not None:
        return known  # type: ignore[no-any-return]
    me = getcurrent()
    if me.__class__ is not Carrier:
        return id(future)
    me.own.world.numbered += 1
    future.__dict__[NUMBER] = me.own.world.numbered
    return me.own.world.numbered  # type: ignore[no-any-return]


def identify(obj: object) -> int:
    """`id`, as `concurrent.futures` sees it."""
    return number_of(obj) if isinstance(obj, base.Future) else id(obj)


def function_of(item: Any) -> Any:
    """Return the function that a pool's work item calls."""
    return item.task[0] if env.WORK_ITEMS_HOLD_TASKS else item.fn


def _measured() -> Any:
    """Return the running participant, if criteria are to be told what it does."""
    me = getcurrent()
    return me if me.__class__ is Carrier and me.engine.measuring else None


def init_pool(self: Any, *args: Any, **kwargs: Any) -> None:
    _real_pool_init(self, *args, **kwargs)
    me = _measured()
    if me is not None:
        me.engine.noted(me, CREATED, self)


def submit(self: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
    me = _measured()
    if me is None:
        return _real_submit(self, fn, *args, **kwargs)
    before, me.own.submitting = me.own.submitting, self
    try:
        return _real_submit(self, fn, *args, **kwargs)
    finally:
        me.own.submitting = before


def init(self: Any) -> None:
    _real_init(self)
    me = _measured()
    if me is None:
        return
    me.engine.noted(me, CREATED, self)
    submitting, me.own.submitting = me.own.submitting, None
    if submitting is not None:  # the pool takes the task, and no worker has it yet
        self.__dict__[_POOL] = weakref.ref(submitting)
        me.engine.noted(me, PUT, submitting)


def run_item(item: Any, *context: Any) -> None:
    """Run a work item in a pool's worker: for criteria, each is a thread of its own."""
    me = _measured()
    if me is not None:
        me.engine.noted(me, TASK, function_name(function_of(item)))
        submitted = item.future.__dict__.get(_POOL)
        executor = submitted() if submitted is not None else None
        if executor is not None:
            me.engine.noted(me, GET, executor)
    _real_run(item, *context)


def begin_task(name: str) -> None:
    """Take up a task of a pool that the program has written itself."""
    me = _measured()
    if me is not None:
        me.engine.noted(me, TASK, name)


def _giving(real: Callable[..., None]) -> Callable[..., None]:
    def give(self: Any, value: Any) -> None:
        me = _measured()
        if me is not None and not _is_done(self):
            me.engine.noted(me, SET, self)
        real(self, value)

    return give


def _taking(real: Callable[..., Any]) -> Callable[..., Any]:
    def take(self: Any, *timeout: Any, **named: Any) -> Any:
        me = _measured()
        if me is None:
            return real(self, *timeout, **named)
        try:
            return real(self, *timeout, **named)
        finally:
            if called_by_library():
                _seen_done(self)
            elif _is_done(self):
                me.engine.noted(me, WAIT_SET, self)

    return take


def _is_done(future: Any) -> bool:
    return future._state in (base.CANCELLED, base.CANCELLED_AND_NOTIFIED, base.FINISHED)


def _seen_done(future: Any) -> None:
    """Note that the running thread has learnt, in code without probes, that a future is done."""
    me = _measured()
    if me is not None and _is_done(future):
        site, me.site = me.site, 0
        me.engine.noted(me, WAIT_SET, future)
        me.site = site


def add_done_callback(self: Any, fn: Any) -> None:
    _seen_done(self)  # then it is called at once, by this thread
    _real_add_done_callback(self, fn)


def wait(fs: Any, timeout: float | None = None, return_when: str = base.ALL_COMPLETED) -> Any:
    result = _real_wait(fs, timeout, return_when)
    for future in sorted(result.done, key=number_of):
        _seen_done(future)
    return result


def as_completed(fs: Any, timeout: float | None = None) -> Iterator[Any]:
    for future in _real_as_completed(fs, timeout):
        _seen_done(future)
        yield future


PATCHES: tuple[tuple[type, str, Any], ...] = (
    (base.Future, "__hash__", number_of),
    (base.Future, "__init__", init),
    (base.Future, "set_result", _giving(base.Future.set_result)),
    (base.Future, "set_exception", _giving(base.Future.set_exception)),
    (base.Future, "result", _taking(base.Future.result)),
    (base.Future, "exception", _taking(base.Future.exception)),
    (base.Future, "done", _taking(base.Future.done)),
    (base.Future, "add_done_callback", add_done_callback),
    (pool.ThreadPoolExecutor, "__init__", init_pool),
    (pool.ThreadPoolExecutor, "submit", submit),
    (pool._WorkItem, "run", run_item),
)
NAMES: dict[Any, Any] = {_real_wait: wait, _real_as_completed: as_completed}
