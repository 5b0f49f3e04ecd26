"""Debuggers: whether one is active, and what it should not show.

A person at a prompt takes longer than any patience limit, so nothing is ended while a debugger is active. Debuggers
built on `bdb` (pdb, ipdb, pytest's) do not stop in raddle's own frames: `step` goes from one line of the program to the
next, not into probes.
"""

from __future__ import annotations

import bdb
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from raddle import env

Entered = Callable[[Any], None]  # is given the debugger, an instance of a class derived from `bdb.Bdb`

# Modules that a debugger steps over, as patterns of `fnmatch`.
SKIPPED = frozenset({"raddle", "raddle.*", "greenlet", "greenlet.*"})
# Measuring tools that use `sys.settrace` as well.
_TRACERS = frozenset({"coverage"})


def is_debugged() -> bool:
    """Whether a debugger traces the running thread."""
    return _is_monitored() or _is_debugger(sys.gettrace())


def is_debugged_at(frame: FrameType | None) -> bool:
    """The same of another thread, by its innermost frame: it is in a debugger, or in a function that one traces.

    `f_locals` must not be touched: up to 3.12 that undoes what a person has assigned at the prompt.
    """
    while frame is not None:
        if frame.f_globals is vars(bdb) or _is_debugger(frame.f_trace):
            return True
        frame = frame.f_back
    return _is_monitored()


def _is_monitored() -> bool:
    """Whether a debugger uses PEP 669, as pdb does since 3.14, and debugpy."""
    if not env.HAS_MONITORING:
        return False
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore] # where there is one
    return monitoring.get_tool(monitoring.DEBUGGER_ID) is not None


def _is_debugger(tracer: Any) -> bool:
    if tracer is None:
        return False
    owner = getattr(tracer, "__self__", tracer)  # a bound method, or an object that is called
    return str(type(owner).__module__).partition(".")[0] not in _TRACERS


@contextmanager
def debuggable(entered: Entered = lambda debugger: None) -> Iterator[None]:
    """Have debuggers skip raddle's frames meanwhile; `entered` is called when one begins."""
    plain: Any = bdb.Bdb.set_trace

    def set_trace(self: Any, frame: FrameType | None = None, *args: Any, **kwargs: Any) -> Any:
        entered(self)
        self.skip = {*(self.skip or ()), *SKIPPED}
        self.mode = None  # from 3.14 on pdb's `quit` ends the process when it is "inline"; here it ends the command
        return plain(self, frame or sys._getframe(1), *args, **kwargs)

    bdb.Bdb.set_trace = set_trace  # type: ignore[method-assign]
    try:
        yield
    finally:
        if bdb.Bdb.set_trace is set_trace:
            bdb.Bdb.set_trace = plain  # type: ignore[method-assign]
