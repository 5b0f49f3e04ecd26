"""The composite approach of Souza et al. (algorithm 1): executes only the race variants that coverage asks for.

A variant is executed if it promises a requirement that no execution has covered. The search ends when everything is
covered, or when no variant promises anything uncovered. The paper looks only at the sync-edges of a variant, although
its list of requirements also contains s-uses. Here a variant may promise either.

The strategies of the paper's experiment are instances of this search:

* RTCovT: variants from the first execution on.
* CovT: random executions until everything is covered, up to a limit. Controlled execution then tries the remainder.
* RT: all variants (`raddle.messages.variant_search`), without a goal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from raddle.messages.goal import Remaining, Requirement
from raddle.messages.trace import MessageTrace
from raddle.messages.variant_search import VariantSearch
from raddle.messages.variants import Variant, variants
from raddle.mpi.world import MpiWorld
from raddle.schedulers.base import Alternative, SearchProgress, Thread
from raddle.schedulers.random_walk import RandomWalk

RANDOM_RUNS = 100  # default limit of CovT's random executions per input
BOUND = "variants that promise something uncovered"


class CompositeSearch(VariantSearch):
    """Executes the variants that promise an uncovered requirement.

    `random_runs` is the number of random executions before the first variant; they end early if everything is covered.
    """

    def __init__(self, world: MpiWorld, remaining: Remaining, *, random_runs: int = 0, seed: int = 1) -> None:
        super().__init__(world)
        self.remaining = remaining
        self._skipped: list[Variant] = []  # variants that promised nothing
        self._promising: list[tuple[Variant, frozenset[Requirement]]] = []
        self._random_runs = random_runs
        self._walk = RandomWalk(seed)
        self._is_random = False

    def begin(self, number: int, space: int) -> bool:
        self._is_random = self._random_runs > 0 and not self.remaining.is_empty
        if self._is_random:
            self._random_runs -= 1
            self._started = True
            return self._walk.begin(number, space)
        return super().begin(number, space)

    def chooser(self) -> Callable[[Any, Any], Any]:
        return self._walk.choose if self._is_random else self.choose

    def choose_alternative(self, thread: Thread, options: Sequence[Alternative]) -> int:
        if self._is_random:
            return self._walk.choose_alternative(thread, options)
        return super().choose_alternative(thread, options)

    def next_variant(self) -> Variant | None:
        while self._promising:
            variant, promised = self._promising.pop(0)
            if not promised & self.remaining.uncovered:
                self._skipped.append(variant)
            elif not self.known.contain(variant.decided):
                return variant
        return None

    def executed(self, trace: MessageTrace, *, is_known: bool) -> None:
        self.remaining.add(trace)
        self.redundant += is_known and not self._is_random

    def plan(self, trace: MessageTrace) -> None:
        for variant in variants(trace):
            promised = self.remaining.promised(trace, variant.changed)
            if promised:
                self._promising.append((variant, promised))
            else:
                self._skipped.append(variant)

    @property
    def skipped(self) -> int:
        """The number of variants that promised nothing and that no known execution contains."""
        return sum(not self.known.contain(variant.decided) for variant in self._skipped)

    def progress(self) -> SearchProgress:
        bound, difference, every_order, *_ = super().progress()
        return SearchProgress(bound or (BOUND if self.finished and self.skipped else ""), difference, every_order)

    @property
    def is_bounded_by_promises(self) -> bool:
        """Whether the search left out sequences only because their variants promised nothing."""
        return not self._bound and self.skipped > 0

    def planned(self) -> int:
        return len(self._promising)
