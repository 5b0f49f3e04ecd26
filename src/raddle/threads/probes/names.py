"""Probes for names: global variables, and variables that functions share in closures."""

from __future__ import annotations

from typing import Any

from greenlet import getcurrent

from raddle.engine.carrier import Carrier
from raddle.operation import DELETE, READ, WRITE
from raddle.threads.data_model.variables import UNKNOWN
from raddle.threads.probes.accesses import Accesses


class Names:
    """Probes for names.

    The owner of a global variable is its module's `globals()`. The owner of a closure variable is a token for one call
    to the function that defines it.
    """

    __slots__ = ("_accesses", "_observing", "_variable_of")

    def __init__(self, accesses: Accesses) -> None:
        self._accesses = accesses
        self._variable_of = accesses.variables.variable
        self._observing = accesses.observing

    def read_name(self, owner: Any, name: str, site: int) -> None:
        me = getcurrent()
        if type(me) is Carrier:
            variable_of = self._variable_of
            variable = variable_of(owner, name)
            self._accesses.step(me, variable, READ, site)
            if self._observing:
                value = owner.get(name, UNKNOWN) if issubclass(type(owner), dict) else UNKNOWN
                self._accesses.report(me, READ, variable, site, value)

    def write_name(self, value: Any, owner: Any, name: str, site: int) -> Any:
        me = getcurrent()
        if type(me) is Carrier:
            variable_of = self._variable_of
            variable = variable_of(owner, name)
            self._accesses.step(me, variable, WRITE, site)
            if self._observing:
                self._accesses.report(me, WRITE, variable, site, value)
        return value

    def delete_name(self, owner: Any, name: str, site: int) -> None:
        me = getcurrent()
        if type(me) is Carrier:
            variable_of = self._variable_of
            variable = variable_of(owner, name)
            self._accesses.step(me, variable, DELETE, site)
            if self._observing:
                self._accesses.report(me, DELETE, variable, site, None)
