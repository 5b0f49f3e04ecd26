"""Probes for entering and leaving functions, for blocks, and for context managers of `with` statements."""

from __future__ import annotations

from typing import Any

from greenlet import getcurrent

from raddle.engine.carrier import Carrier
from raddle.engine.engine import Engine
from raddle.threads.twins.adopt import TWINS, adopt
from raddle.threads.twins.functools import note_stored, storing_sites


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
            self._engine.entered(me, site)

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


def leave(site: int) -> None:
    """Report stores to a `functools` cache. This is the `leave` probe for executions without observers."""
    if site in storing_sites:
        note_stored(site)
