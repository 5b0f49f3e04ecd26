"""A caution: something in an execution that looks wrong although nothing went wrong.

What people call a warning. A failure is a finding, with a schedule; a caution is never counted as one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from raddle.site import INDEX_BITS

DATA_RACE = "data-race"  # two accesses that nothing orders, one of them a write
LOCKSET = "lockset"  # a shared variable that no lock guards consistently (Eraser)
POTENTIAL_DEADLOCK = "potential-deadlock"  # locks taken in an order that can close a circle
UNSERIALIZABLE = "unserializable"  # an access of another thread between two that belong together (Avio)
SOMETIMES = "sometimes "  # begins each part of a note where no two accesses of different threads are in conflict
KINDS = (DATA_RACE, LOCKSET, POTENTIAL_DEADLOCK, UNSERIALIZABLE)


@dataclass(frozen=True, slots=True)
class ReportedWarning:
    """Two cautions that are equal are about the same thing, whichever execution showed it.

    >>> ReportedWarning("data-race", "Counter.value", (70001, 70002)).kind
    'data-race'
    """

    kind: str
    subject: str  # the variable or the locks, for people
    sites: tuple[int, ...]  # in the order in which the sentence names them
    note: str = ""  # what else there is to say: locks held, threads

    @property
    def is_vague(self) -> bool:
        """Does it name accesses of which no two are in conflict?"""
        return self.kind == LOCKSET and self.note.startswith(SOMETIMES)

    @property
    def identity(self) -> tuple[object, ...]:
        """What it is about: the same in words of other executions.

        Locks that do not guard are about a variable, known by its name and the module that touches it; accesses in
        between are about the two that they come between.
        """
        if self.kind == LOCKSET:
            return (self.kind, self.subject, min((site >> INDEX_BITS for site in self.sites), default=0))
        if self.kind == UNSERIALIZABLE:
            return (self.kind, self.subject, self.sites[:1], self.sites[-1:])
        return (self.kind, self.subject, self.sites, self.note)

    def as_json(self) -> dict[str, Any]:
        """For machines; whoever has the sites adds files and lines."""
        return {"kind": self.kind, "subject": self.subject, "sites": list(self.sites), "note": self.note}


def deduplicated(warnings: Iterable[ReportedWarning]) -> tuple[ReportedWarning, ...]:
    """One caution for each thing that they are about: the same one, in whatever order they come.

    >>> one, other = (ReportedWarning(LOCKSET, "Cart.n", (70000 + n, 70009), "read, written") for n in (1, 2))
    >>> deduplicated([other, one]) == deduplicated([one, other]) == (one,)
    True
    """
    chosen: dict[tuple[object, ...], ReportedWarning] = {}
    for warning in warnings:
        known = chosen.setdefault(warning.identity, warning)
        if _rank(warning) < _rank(known):
            chosen[warning.identity] = warning
    return tuple(chosen.values())


def _rank(warning: ReportedWarning) -> tuple[object, ...]:
    return warning.is_vague, warning.sites, warning.note
