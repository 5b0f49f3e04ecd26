"""A warning: something suspicious in an execution that did not fail.

Failures are findings. Warnings have no schedule and are never counted as findings.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from raddle.site import INDEX_BITS

DATA_RACE = "data-race"  # two unordered accesses, at least one of them a write
LOCKSET = "lockset"  # a shared variable that no lock guards consistently (Eraser)
POTENTIAL_DEADLOCK = "potential-deadlock"  # locks acquired in an order that can lead to a deadlock
UNSERIALIZABLE = "unserializable"  # an access by another thread between two related accesses (AVIO)
SOMETIMES = "sometimes "  # prefix of each part of a vague warning's note; see `is_vague`
KINDS = (DATA_RACE, LOCKSET, POTENTIAL_DEADLOCK, UNSERIALIZABLE)


@dataclass(frozen=True, slots=True)
class ReportedWarning:
    """A warning, as stored and reported. It does not depend on the execution in which it was observed.

    >>> ReportedWarning("data-race", "Counter.value", (70001, 70002)).kind
    'data-race'
    """

    kind: str
    subject: str  # human-readable name of the variable or the locks
    sites: tuple[int, ...]  # in the order in which the warning's sentence mentions them
    note: str = ""  # further details, such as the locks held or the threads

    @property
    def is_vague(self) -> bool:
        """Whether the warning names no pair of conflicting accesses."""
        return self.kind == LOCKSET and self.note.startswith(SOMETIMES)

    @property
    def identity(self) -> tuple[object, ...]:
        """The key by which duplicates are recognized, even if they were worded differently in other executions.

        A lockset warning is identified by its variable and the module that accesses it. A warning about an
        unserializable access is identified by the two accesses around it.
        """
        if self.kind == LOCKSET:
            return (self.kind, self.subject, min((site >> INDEX_BITS for site in self.sites), default=0))
        if self.kind == UNSERIALIZABLE:
            return (self.kind, self.subject, self.sites[:1], self.sites[-1:])
        return (self.kind, self.subject, self.sites, self.note)

    def as_json(self) -> dict[str, Any]:
        """Return the warning as JSON data, without the files and lines of its sites."""
        return {"kind": self.kind, "subject": self.subject, "sites": list(self.sites), "note": self.note}


def deduplicated(warnings: Iterable[ReportedWarning]) -> tuple[ReportedWarning, ...]:
    """Return one warning per `identity`. The choice does not depend on the order of the warnings.

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
