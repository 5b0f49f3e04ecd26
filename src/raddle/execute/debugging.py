"""Debugger support: detects active debuggers, and makes them skip raddle's own frames.

A user at a debugger prompt may take longer than any time limit, so no execution is ended while a debugger is active.
Debuggers based on `bdb` (pdb, ipdb, pytest's debugger) do not stop in raddle's frames: `step` goes to the next line of
the program, not into probes.
"""

from __future__ import annotations

import bdb
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from raddle import env

Entered = Callable[[Any], None]  # called with the debugger, an instance of a class derived from `bdb.Bdb`

# Modules that a debugger steps over, as `fnmatch` patterns.
SKIPPED = frozenset({"raddle", "raddle.*", "greenlet", "greenlet.*"})
# Measurement tools that use `sys.settrace` but are not debuggers.
_TRACERS = frozenset({"coverage"})


def is_debugged() -> bool:
    """Return whether a debugger is tracing the running thread."""
    return _is_monitored() or _is_debugger(sys.gettrace())


def is_debugged_at(frame: FrameType | None) -> bool:
    """Return whether a thread, given by its innermost frame, is in a debugger or in a function being debugged.

    `f_locals` must not be accessed: up to Python 3.12, accessing it discards assignments made at the debugger prompt.
    """
    while frame is not None:
        if frame.f_globals is vars(bdb) or _is_debugger(frame.f_trace):
            return True
        frame = frame.f_back
    return _is_monitored()


def _is_monitored() -> bool:
    """Return whether a debugger uses `sys.monitoring` (PEP 669), as debugpy does, and as pdb does since Python 3.14."""
    if not env.HAS_MONITORING:
        return False
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore] # exists since Python 3.12
    return monitoring.get_tool(monitoring.DEBUGGER_ID) is not None


def _is_debugger(tracer: Any) -> bool:
    if tracer is None:
        return False
    owner = getattr(tracer, "__self__", tracer)  # the tracer is a bound method or a callable object
    return str(type(owner).__module__).partition(".")[0] not in _TRACERS


@contextmanager
def debuggable(entered: Entered = lambda debugger: None) -> Iterator[None]:
    """Make debuggers skip raddle's frames inside the `with` block; call `entered` when a debugger starts."""
    original: Any = bdb.Bdb.set_trace

    def set_trace(self: Any, frame: FrameType | None = None, *args: Any, **kwargs: Any) -> Any:
        entered(self)
        self.skip = {*(self.skip or ()), *SKIPPED}
        self.mode = None  # since 3.14, `quit` in "inline" mode ends the process; here it must only end the command
        return original(self, frame or sys._getframe(1), *args, **kwargs)

    bdb.Bdb.set_trace = set_trace  # type: ignore[method-assign]
    try:
        yield
    finally:
        if bdb.Bdb.set_trace is set_trace:
            bdb.Bdb.set_trace = original  # type: ignore[method-assign]
