"""Probes for entering and leaving functions, for blocks, and for context managers of `with` statements."""

from __future__ import annotations

import sys
from typing import Any

from greenlet import getcurrent

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.threads.twins.adopt import TWINS, adopt
from raddle.threads.twins.functools import note_stored, storing_sites

# Frames that observers may need. Without this reserve, a program that recurses without end could exhaust the stack in
# the middle of an observer, which would then have an incomplete record of the execution.
RESERVED_FRAMES = 250
# Calls of C functions (in Python 3.11) and the frames below the execution count towards the recursion limit as well,
# so the stack can be nearly full before the reserve is reached. This many frames must be left in any case.
MIN_LEFT = 100
SHALLOW_SHARE = 5  # a stack with a smaller share of the permitted frames is not checked, because that takes a while


class Functions:
    """Notifies observers of calls and blocks, and replaces real locks in `with` statements with their twins."""

    __slots__ = ("_engine",)

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def guard(self, manager: Any, site: int) -> Any:
        me = getcurrent()
        if type(me) is Carrier:
            me.site = site
            if id(type(manager)) in TWINS:
                return adopt(manager)
        return manager

    def enter(self, site: int) -> None:
        me = getcurrent()
        if type(me) is Carrier:
            self._require_stack()
            self._engine.entered(me, site)

    def _require_stack(self) -> None:
        """Raise `RecursionError`, as the interpreter soon would, if the stack is too deep for observers."""
        limit = sys.getrecursionlimit()
        if _has_frames(limit // SHALLOW_SHARE):
            # The number of frames is the same in every execution, so the program always fails at the same depth.
            if _has_frames(max(limit - RESERVED_FRAMES, limit // SHALLOW_SHARE)):
                raise RecursionError("maximum recursion depth exceeded")
            _descend(MIN_LEFT)

    def leave(self, site: int) -> None:
        me = getcurrent()
        if type(me) is Carrier:
            if site in storing_sites:
                note_stored(site)
            self._engine.left(me, site)

    def block(self, site: int) -> None:
        me = getcurrent()
        if type(me) is Carrier:
            self._engine.passed_block(me, site)


def _has_frames(number: int) -> bool:
    """Return whether the stack of the running participant has more than this number of frames."""
    try:
        sys._getframe(number)
    except ValueError:
        return False
    return True


def _descend(frames: int) -> None:
    """Use this many frames of the stack."""
    if frames:
        _descend(frames - 1)


def leave(site: int) -> None:
    """Report stores to a `functools` cache. This is the `leave` probe for executions without observers."""
    if site in storing_sites:
        note_stored(site)
