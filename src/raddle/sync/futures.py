"""What `concurrent.futures` needs to run the same way twice.

Its pool, futures, `wait` and `as_completed` run as they are, on the twins of threads, locks, conditions
and queues. But they sort futures by `id` and keep them in sets, so under control futures are numbered.
"""

from __future__ import annotations

import concurrent.futures._base as base
from typing import Any

from raddle.sync.carrier import Carrier, getcurrent

NUMBER = "_raddle_number"


def number_of(future: Any) -> int:
    """The future's number under control, elsewhere its address."""
    known = future.__dict__.get(NUMBER)
    if known is not None:
        return known  # type: ignore[no-any-return]
    me = getcurrent()
    if me.__class__ is not Carrier:
        return id(future)
    me.control.futures += 1
    future.__dict__[NUMBER] = me.control.futures
    return me.control.futures


def identify(obj: object) -> int:
    """`id`, as `concurrent.futures` sees it."""
    return number_of(obj) if isinstance(obj, base.Future) else id(obj)


PATCHES = ((base.Future, "__hash__", number_of),)
