"""A plan: the order in which threads run to reach a target, and how far each of them runs."""

from __future__ import annotations

from dataclasses import dataclass, field

from raddle.wording import ordinal


@dataclass(frozen=True, slots=True)
class Leg:
    """One part of a plan: a thread runs until just before an operation, or as far as it can.

    >>> str(Leg("T1", "write", 70001, 2)), str(Leg("T2"))
    ('T1 runs until it would write at 70001 for the 3rd time', 'T2 runs as far as it can')
    """

    thread: str  # label of the thread
    kind: str = ""  # kind of the operation before which the thread stops
    site: int = 0  # site of the operation before which the thread stops; 0 if the thread runs as far as it can
    times: int = 0  # number of times that the thread performs the operation at `site` before it stops
    # Approximate number of operations in the leg; if the thread performs many more, the execution has deviated from the
    # plan.
    steps: int = field(default=0, compare=False)

    def __str__(self) -> str:
        if not self.site:
            return f"{self.thread} runs as far as it can"
        return f"{self.thread} runs until it would {self.kind} at {self.site} for the {ordinal(self.times + 1)} time"


Plan = tuple[Leg, ...]
