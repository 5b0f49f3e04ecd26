"""What `concurrent.futures` needs to run the same way twice.

Its pool, futures, `wait` and `as_completed` run as they are, on the twins of threads, locks, conditions
and queues. But they sort futures by `id` and keep them in sets, so under control futures are numbered.
"""

from __future__ import annotations

import concurrent.futures._base as base
import concurrent.futures.thread as pool
from typing import Any

from raddle import env
from raddle.engine.carrier import Carrier, getcurrent
from raddle.operation import TASK

NUMBER = "_raddle_number"
_real_run = pool._WorkItem.run


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


def run_item(item: Any, *context: Any) -> None:
    """Run a work item in a pool's worker: for criteria, each is a thread of its own."""
    me = getcurrent()
    if me.__class__ is Carrier and me.engine.measuring:
        me.engine.noted(me, TASK, function_of(item))
    _real_run(item, *context)


PATCHES = ((base.Future, "__hash__", number_of), (pool._WorkItem, "run", run_item))
