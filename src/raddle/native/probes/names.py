"""Probes for names: global variables, and closure variables that nested functions share."""

from __future__ import annotations

from typing import Any

from raddle.native.probes.recording import RecordingProbes
from raddle.operation import READ, WRITE

__tracebackhide__ = True  # hide the frames of this module in pytest's tracebacks


class ClosureCells:
    """The numbers of the closure variables of one function call. Instrumented code passes this object as the owner."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        self.numbers: dict[Any, Any] = {}


class NameProbes(RecordingProbes):
    """Records accesses to names, whose owner is the globals of a module or the `ClosureCells` of one call."""

    __slots__ = ()

    def read_name(self, owner: Any, name: str, site: int) -> None:
        self._record(READ, owner, name, site)

    def write_name(self, value: Any, owner: Any, name: str, site: int) -> Any:
        self._record(WRITE, owner, name, site)
        return value

    def delete_name(self, owner: Any, name: str, site: int) -> None:
        self._record(WRITE, owner, name, site)

    def _record(self, kind: str, owner: Any, name: str, site: int) -> None:
        if issubclass(type(owner), dict):  # the globals of a module
            fields = self._entries.get(id(owner))
            number = fields.get(name) if fields is not None else None
            if number is None:
                number = self._variable_numbers.global_name(owner, name, site)
        else:
            numbers = owner.numbers if type(owner) is ClosureCells else self._variable_numbers.cells_of(str(owner))
            number = numbers.get(name)
            if number is None:
                number = self._variable_numbers.cell(numbers, name, site)
        if number >= 0:
            steps = self._steps
            steps.append((self._local.number, kind, number, site))
            if len(steps) > self._max_steps:
                self._flush()
