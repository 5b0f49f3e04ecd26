"""A plan: who is to run how far, and after whom, so that something wanted comes about."""

from __future__ import annotations

from dataclasses import dataclass, field

from raddle.wording import ordinal


@dataclass(frozen=True, slots=True)
class Leg:
    """One thread's part: it runs until it is about to do something, or as far as it can.

    >>> str(Leg("T1", "write", 70001, 2)), str(Leg("T2"))
    ('T1 until it would write at 70001 for the 3rd time', 'T2 as far as it can')
    """

    thread: str  # its label
    kind: str = ""  # of the operation it stops before
    site: int = 0  # where; 0: it is not stopped
    times: int = 0  # that the thread did this before, from the beginning of the execution
    # about how many operations it takes; many more mean that something went another way
    steps: int = field(default=0, compare=False)

    def __str__(self) -> str:
        if not self.site:
            return f"{self.thread} as far as it can"
        return f"{self.thread} until it would {self.kind} at {self.site} for the {ordinal(self.times + 1)} time"


Plan = tuple[Leg, ...]
