"""Eraser: which locks guard a variable, and is that enough?

After Savage, Burrows, Nelson, Sobalvarro and Anderson (SOSP 1997), with the state exclusive' that Křena, Letko
and Vojnar take over from von Praun and Gross (OOPSLA 2001): a variable that one thread made and another one then
took over is still nobody else's. So the candidate locks are looked at from the first access on by which the
variable comes back, or comes to a third thread.

    virgin      any access                   -> exclusive
    exclusive   by another thread            -> exclusive'
    exclusive'  read by another thread       -> shared,    candidates := locks held
                written by another thread    -> modified,  candidates := locks held
    shared      read                         candidates := those of them that are held
                written                      -> modified,  candidates := those of them that are held
    modified    any access                   candidates := those of them that are held
    modified without candidates              -> race, where it remains
"""

from __future__ import annotations

from raddle.analysis.locksets import NO_LOCKS

VIRGIN = "virgin"
EXCLUSIVE = "exclusive"
EXCLUSIVE_AGAIN = "exclusive'"
SHARED = "shared"
MODIFIED = "modified"
RACE = "race"
STATES = (VIRGIN, EXCLUSIVE, EXCLUSIVE_AGAIN, SHARED, MODIFIED, RACE)


class Guarded:
    """What Eraser knows about one variable.

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
        self.owner = -1  # the thread that an exclusive variable belongs to
        self.candidates = NO_LOCKS  # means nothing before the variable is shared

    def access(self, thread: int, *, write: bool, held: frozenset[int]) -> None:
        """A thread that holds these locks touches the variable."""
        state = self.state
        if state is RACE:
            return
        if state is MODIFIED or state is SHARED:
            if not self.candidates <= held:
                self.candidates &= held
        elif thread == self.owner:
            return
        elif state is EXCLUSIVE_AGAIN:
            self.candidates = held
        else:
            self.owner = thread
            self.state = EXCLUSIVE if state is VIRGIN else EXCLUSIVE_AGAIN
            return
        if write or state is MODIFIED:
            self.state = MODIFIED if self.candidates else RACE
        else:
            self.state = SHARED
