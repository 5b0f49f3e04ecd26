"""Probes for functions and blocks: where bodies begin and end, and the context managers of `with` statements."""

from __future__ import annotations

import itertools
import sys
from types import FrameType
from typing import Any

from greenlet import getcurrent

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.threads.twins.adopt import TWINS, adopt
from raddle.threads.twins.functools import note_stored, storing_sites

# Frames that observers may need. Without this reserve, a program that recurses without end could exhaust the stack in
# the middle of an observer, which would then have an incomplete record of the execution.
RESERVED_FRAMES = 150
MIN_FRAMES = 50  # frames that a program may always use, even if it sets a very low recursion limit


class Functions:
    """Notifies observers of calls and blocks, and replaces real locks in `with` statements with their twins."""

    __slots__ = ("_engine", "_unavailable_frames")

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._unavailable_frames = _depth(sys._getframe()) + RESERVED_FRAMES

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
        try:
            sys._getframe(max(sys.getrecursionlimit() - self._unavailable_frames, MIN_FRAMES))
        except ValueError:  # there are fewer frames
            return
        raise RecursionError("maximum recursion depth exceeded")

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


def _depth(frame: FrameType | None) -> int:
    """Return the number of frames of the stack that ends with this frame."""
    for depth in itertools.count():
        if frame is None:
            return depth
        frame = frame.f_back
    raise AssertionError


def leave(site: int) -> None:
    """Report stores to a `functools` cache. This is the `leave` probe for executions without observers."""
    if site in storing_sites:
        note_stored(site)
