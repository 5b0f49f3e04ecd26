"""The match-based explorer: runs every SYN-sequence exactly once by executing race variants (Lei and Carver).

Every execution is analyzed for variants (see `raddle.messages.variants`). A variant is executed unless a known
execution contains it. So no sequence is executed twice: an execution contains its variant, which no execution before it
contained. And no sequence is missed: as long as an execution agrees with the missing sequence up to some receive, one
of its variants agrees with the sequence beyond that receive.

Unlike Lei and Carver, who recognize repeated variants by counters, this explorer keeps an index of all executions.
"""

from __future__ import annotations

from raddle.messages.forcing import Forcing
from raddle.messages.known_sequences import KnownSequences
from raddle.messages.trace import MessageTrace
from raddle.messages.variants import Variant, variants
from raddle.mpi.world import MpiWorld
from raddle.schedulers.base import SearchProgress

MAX_EVENTS = 5_000  # maximum number analyzed per execution; a search over longer executions could not finish anyway
# Descriptions of bounds that exclude sequences
TOO_LONG = f"operations per execution ({MAX_EVENTS:,})"
UNFORCED = "variants that can be forced"


class VariantSearch(Forcing):
    """Runs every SYN-sequence of a program exactly once."""

    complete = True

    def __init__(self, world: MpiWorld) -> None:
        super().__init__(world)
        self.known = KnownSequences()
        self.redundant = 0  # number of executions of known sequences; should stay 0
        self.finished = False  # True if every sequence has been run
        self._bound = ""  # description of the bound that excluded sequences
        self._waiting: list[Variant] = []
        self._started = False

    def begin(self, number: int, space: int) -> bool:
        if not self._started:
            self._started = True
            return True  # the first execution is not forced
        variant = self.next_variant()
        if variant is None:
            self.finished = True
            return False
        self.outcomes = variant.outcomes()
        return True

    def next_variant(self) -> Variant | None:
        """Return the variant to run next; None if no variant is left."""
        while self._waiting:
            variant = self._waiting.pop()
            if not self.known.contain(variant.decided):
                return variant
        return None

    def end(self) -> None:
        super().end()
        trace = self.trace
        assert trace is not None
        decided = [one for _, one in trace.decided]
        if self.diverged:
            self._bound = UNFORCED
        is_known = self.known.contain(decided)
        self.executed(trace, is_known=is_known)
        if is_known:
            return
        self.known.add(decided)
        if len(trace.events) > MAX_EVENTS:
            self._bound = TOO_LONG
            return
        self.plan(trace)

    def executed(self, trace: MessageTrace, *, is_known: bool) -> None:
        """Take note of an execution; `is_known` says whether its sequence was executed before."""
        self.redundant += is_known

    def plan(self, trace: MessageTrace) -> None:
        """Plan to run the variants of an execution."""
        self._waiting += [variant for variant in variants(trace) if not self.known.contain(variant.decided)]

    def progress(self) -> SearchProgress:
        return SearchProgress(self._bound, None, self.finished)

    def planned(self) -> int:
        """Return the number of variants that may still have to be run."""
        return len(self._waiting)
