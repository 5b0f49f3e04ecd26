"""A caution: something in an execution that looks wrong although nothing went wrong.

What people call a warning. A failure is a finding, with a schedule; a caution is never counted as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

DATA_RACE = "data-race"  # two accesses that nothing orders, one of them a write
LOCKSET = "lockset"  # a shared variable that no lock guards consistently (Eraser)
POTENTIAL_DEADLOCK = "potential-deadlock"  # locks taken in an order that can close a circle
UNSERIALIZABLE = "unserializable"  # an access of another thread between two that belong together (Avio)
KINDS = (DATA_RACE, LOCKSET, POTENTIAL_DEADLOCK, UNSERIALIZABLE)


@dataclass(frozen=True, slots=True)
class Caution:
    """Two cautions that are equal are about the same thing, whichever execution showed it.

    >>> Caution("data-race", "Counter.value", (70001, 70002)).kind
    'data-race'
    """

    kind: str
    subject: str  # the variable or the locks, for people
    sites: tuple[int, ...]  # in the order in which the sentence names them
    note: str = ""  # what else there is to say: locks held, threads

    def as_json(self) -> dict[str, Any]:
        """For machines; whoever has the sites adds files and lines."""
        return {"kind": self.kind, "subject": self.subject, "sites": list(self.sites), "note": self.note}
