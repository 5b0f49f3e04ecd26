"""A failure that does not depend on the order in which threads run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class EveryOrder:
    """Evidence that a failure does not depend on the order of the threads: every execution failed in the same way.

    >>> print(EveryOrder(tried=9, serial=4))
    not a race: it failed in all 9 executions, 4 of them serial
    >>> print(EveryOrder(tried=12, serial=2, complete=True))
    not a race: it fails in all 12 partial orders
    >>> print(EveryOrder(tried=1, serial=1, alone=True))
    not a race: it fails without any other thread
    """

    tried: int  # number of executions
    serial: int  # number of executions in which each thread ran until it ended or blocked
    complete: bool = False  # whether the executions include every partial order
    alone: bool = False  # whether the failure happened before another thread was started

    def __str__(self) -> str:
        if self.alone:
            return "not a race: it fails without any other thread"
        if self.complete:
            few = {1: "the only partial order", 2: "both partial orders"}
            orders = few.get(self.tried, f"all {self.tried:,} partial orders")
            return f"not a race: it fails in {orders}"
        return f"not a race: it failed in all {self.tried:,} executions, {self.serial:,} of them serial"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(value: Mapping[str, Any] | None) -> EveryOrder | None:
        """Return the object represented by the output of `as_json`; None if the failure may depend on the order."""
        if not value:
            return None
        return EveryOrder(
            tried=int(value.get("tried") or 0),
            serial=int(value.get("serial") or 0),
            complete=bool(value.get("complete")),
            alone=bool(value.get("alone")),
        )
