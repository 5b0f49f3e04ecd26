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
RESERVED_FRAMES = 100
# A shallow stack is not checked, because that takes a few microseconds. Python 3.11 also counts calls of C functions
# towards the recursion limit, so a stack can be nearly full although it has only a fraction of that many frames.
SHALLOW_SHARE = 5


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
        try:
            sys._getframe(sys.getrecursionlimit() // SHALLOW_SHARE)
        except ValueError:  # there are fewer frames
            return
        _descend(RESERVED_FRAMES)

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


def _descend(frames: int) -> None:
    """Use this many frames of the stack."""
    if frames:
        _descend(frames - 1)


def leave(site: int) -> None:
    """Report stores to a `functools` cache. This is the `leave` probe for executions without observers."""
    if site in storing_sites:
        note_stored(site)
