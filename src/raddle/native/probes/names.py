"""Probes of names: global variables, and variables that functions share in closures."""

from __future__ import annotations

from typing import Any

from raddle.native.probes.recording import RecordingProbes
from raddle.operation import READ, WRITE

__tracebackhide__ = True  # frames of this module, in what pytest shows


class Cells:
    """A token for the closure variables of one call of a function; has their numbers."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        self.numbers: dict[Any, Any] = {}


class Names(RecordingProbes):
    """A name is a variable of its namespace: the globals of a module, or the token of one call of a function."""

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
            numbers = owner.numbers if type(owner) is Cells else self._variable_numbers.cells_of(str(owner))
            number = numbers.get(name)
            if number is None:
                number = self._variable_numbers.cell(numbers, name, site)
        if number >= 0:
            steps = self._steps
            steps.append((self._local.number, kind, number, site))
            if len(steps) > self._max_steps:
                self._flush()
