"""The twin of `select.select`: in controlled executions, its timeout uses virtual time.

Descriptors that are not ready may become ready because of another controlled thread, so they are polled whenever a
thread can be chosen. Without a timeout, the real function waits, because data may come from outside the process.
"""

from __future__ import annotations

import select
from typing import Any

from raddle.engine import waits
from raddle.engine.carrier import Carrier, getcurrent
from raddle.operation import SLEEP

_real_select = select.select
Ready = tuple[list[Any], list[Any], list[Any]]


def select_(rlist: Any, wlist: Any, xlist: Any, timeout: float | None = None, /) -> Ready:
    me = getcurrent()
    if me.__class__ is not Carrier or timeout is None or not isinstance(timeout, (int, float)) or not timeout > 0:
        return _real_select(rlist, wlist, xlist, timeout)
    watched = list(rlist), list(wlist), list(xlist)  # the arguments may be iterators
    ready = _real_select(*watched, 0)
    if not any(ready):
        waits.wait(me, SLEEP, None, lambda: any(_real_select(*watched, 0)), timeout)
        ready = _real_select(*watched, 0)
    return ready


NAMES: dict[Any, Any] = {_real_select: select_}
