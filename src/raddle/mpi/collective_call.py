"""A collective call: one collective operation of a communicator, as its members enter it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from raddle.mpi.call_place import Called


@dataclass(frozen=True, slots=True)
class Entry:
    """What one rank passes to a collective operation."""

    name: str  # the operation, such as "bcast"
    payload: Any = None
    root: int | None = None  # rank in COMM_WORLD; None if the operation has no root
    arguments: tuple[tuple[str, object], ...] = ()  # names and values that must be equal in all ranks
    called: Called | None = None  # where the rank called the operation


@dataclass(slots=True, eq=False)
class CollectiveCall:
    """The `number`-th collective operation of a communicator."""

    context: int
    number: int
    members: tuple[int, ...]  # ranks in COMM_WORLD, in the order of the communicator
    entries: dict[int, Entry] = field(default_factory=dict)  # by rank in COMM_WORLD
    result: Any = None  # computed by the first rank that needs it

    def entered(self, ranks: Iterable[int]) -> bool:
        """Return whether all these ranks have entered the call."""
        return all(rank in self.entries for rank in ranks)

    def __str__(self) -> str:
        names = sorted({entry.name for entry in self.entries.values()})
        return f"{'/'.join(names) or 'collective'} {self.context}.{self.number}"
