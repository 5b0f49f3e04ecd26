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
        self._variant: Variant | None = None  # the variant of the current execution

    def begin(self, number: int, space: int) -> bool:
        if self._variant is None and not self.known:
            return True  # the first execution is not forced
        while self._waiting:
            variant = self._waiting.pop()
            if self._is_wanted(variant):
                self._variant, self.outcomes = variant, variant.outcomes()
                return True
        self.finished = True
        return False

    def _is_wanted(self, variant: Variant) -> bool:
        return not self.known.contain(variant.decided)

    def end(self) -> None:
        trace = MessageTrace(self._world.exchange)
        decided = [one for _, one in trace.decided]
        outcomes = dict(decided)
        if any(outcomes.get(choice) != outcome for choice, outcome in self.outcomes.items()):
            self._bound = "variants that can be forced"
        if self.known.contain(decided):
            self.redundant += 1
            return
        self.known.add(decided)
        if len(trace.events) > MAX_EVENTS:
            self._bound = f"operations per execution ({MAX_EVENTS:,})"
            return
        self.analyzed(trace)

    def analyzed(self, trace: MessageTrace) -> None:
        """Plan to run the variants of an execution."""
        self._waiting += [variant for variant in variants(trace) if self._is_wanted(variant)]

    def progress(self) -> SearchProgress:
        return SearchProgress(self._bound, None, self.finished)

    def planned(self) -> int:
        """Return the number of variants that may still have to be run."""
        return len(self._waiting)
