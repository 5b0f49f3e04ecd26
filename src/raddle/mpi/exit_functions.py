"""The functions that ranks register with `atexit`, which are called when their rank ends."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from typing import Any

from raddle.engine.carrier import Carrier, getcurrent
from raddle.mpi.exchange import RankState

_register, _unregister = atexit.register, atexit.unregister


def register(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Callable[..., Any]:
    """Register a function for the end of the running rank or, outside ranks, of the process."""
    rank = _running_rank()
    if rank is None:
        return _register(function, *args, **kwargs)
    rank.at_exit.append((function, args, kwargs))
    return function


def unregister(function: Callable[..., Any], /) -> None:
    """Remove a registered function."""
    rank = _running_rank()
    if rank is None:
        _unregister(function)
    else:
        rank.at_exit = [one for one in rank.at_exit if one[0] != function]


def call_exit_functions(rank: RankState) -> None:
    """Call the functions that a rank has registered, the last one first."""
    while rank.at_exit:
        function, args, kwargs = rank.at_exit.pop()
        function(*args, **kwargs)


def _running_rank() -> RankState | None:
    me = getcurrent()
    return me.own if isinstance(me, Carrier) and isinstance(me.own, RankState) else None
