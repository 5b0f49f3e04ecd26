"""The Eraser algorithm, which determines the locks that protect a variable and whether a race is possible.

Based on Savage, Burrows, Nelson, Sobalvarro and Anderson (SOSP 1997). The state `exclusive'` comes from von Praun and
Gross (OOPSLA 2001), as adopted by Křena, Letko and Vojnar. In this state, a second thread has taken the variable over
from the thread that created it, so the variable is not shared yet. Candidate locks are tracked from the moment the
creator or a third thread accesses the variable.

    virgin      any access                   -> exclusive
    exclusive   by another thread            -> exclusive'
    exclusive'  read by another thread       -> shared,    candidates := locks held
                written by another thread    -> modified,  candidates := locks held
    shared      read                         candidates := candidates & locks held
                written                      -> modified,  candidates := candidates & locks held
    modified    any access                   candidates := candidates & locks held
    modified without candidates              -> race, which is final
"""

from __future__ import annotations

from raddle.analysis.locksets import NO_LOCKS

VIRGIN = "virgin"
EXCLUSIVE = "exclusive"
EXCLUSIVE_PRIME = "exclusive'"
SHARED = "shared"
MODIFIED = "modified"
RACE = "race"
STATES = (VIRGIN, EXCLUSIVE, EXCLUSIVE_PRIME, SHARED, MODIFIED, RACE)


class Guarded:
    """Eraser's state for one variable.

    >>> x = Guarded()
    >>> for thread in (1, 2): x.access(thread, write=True, held=frozenset({7, 8}))
    >>> x.state
    "exclusive'"
    >>> x.access(1, write=True, held=frozenset({7}))
    >>> x.state, x.candidates
    ('modified', frozenset({7}))
    >>> x.access(2, write=False, held=frozenset({8}))
    >>> x.state
    'race'
    """

    __slots__ = ("candidates", "owner", "state")

    def __init__(self) -> None:
        self.state = VIRGIN
        self.owner = -1  # the thread that owns the variable while it is exclusive
        self.candidates = NO_LOCKS  # the candidate locks; unused until the variable is shared

    def access(self, thread: int, *, write: bool, held: frozenset[int]) -> None:
        """Record an access by a thread that holds the locks `held`."""
        state = self.state
        if state is RACE:
            return
        if state is MODIFIED or state is SHARED:
            if not self.candidates <= held:
                self.candidates &= held
        elif thread == self.owner:
            return
        elif state is EXCLUSIVE_PRIME:
            self.candidates = held
        else:
            self.owner = thread
            self.state = EXCLUSIVE if state is VIRGIN else EXCLUSIVE_PRIME
            return
        if write or state is MODIFIED:
            self.state = MODIFIED if self.candidates else RACE
        else:
            self.state = SHARED
