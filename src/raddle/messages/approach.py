"""Approaches to exploring message-passing programs that know the world of ranks, unlike schedulers."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Self

from raddle.exploring.units import SearchPlan
from raddle.messages.composite import BOUND, RANDOM_RUNS, CompositeSearch
from raddle.messages.goal import Remaining
from raddle.messages.variant_search import VariantSearch
from raddle.mpi.world import MpiWorld
from raddle.result import Result
from raddle.schedulers.base import Scheduler
from raddle.stop_reason import StopReason
from raddle.wording import count

VARIANTS = "variants"
COMPOSITE = "composite"
STRUCTURAL = "structural"
BY_COVERAGE = (COMPOSITE, STRUCTURAL)  # approaches that coverage directs
OWN = (VARIANTS, *BY_COVERAGE)


@dataclass(frozen=True, slots=True)
class PlanWithPolicy(SearchPlan):
    """The settings of a search whose policy was created by the caller. Such a search runs in one process."""

    policy: Scheduler | None = None

    @classmethod
    def of(cls, plan: SearchPlan, policy: Scheduler) -> Self:
        """Return a plan with another policy."""
        return cls(**{field.name: getattr(plan, field.name) for field in fields(plan)}, policy=policy)

    def make_policy(self) -> Scheduler:
        assert self.policy is not None
        return self.policy


def make_search(approach: str, world: MpiWorld, remaining: Remaining | None, *, seed: int) -> VariantSearch:
    """Return the search for executions in a world; `remaining` is needed if coverage directs the approach."""
    if approach == VARIANTS:
        return VariantSearch(world)
    assert remaining is not None
    random_runs = RANDOM_RUNS if approach == STRUCTURAL else 0
    return CompositeSearch(world, remaining, random_runs=random_runs, seed=seed)


def concluded(result: Result, search: VariantSearch) -> Result:
    """Return the result of a finished search with its own reason to stop, and what a user should know about it."""
    notes = [note for note in result.notes if BOUND not in note]
    notes.append(f"the search kept an index of {count(len(search.known), 'SYN-sequence')}")
    reason = result.stopped_because
    if isinstance(search, CompositeSearch):
        skipped = search.skipped
        left, total = len(search.remaining.uncovered), len(search.remaining.goal.required)
        if reason is StopReason.EXHAUSTED_WITHIN_BOUND and search.is_bounded_by_promises:
            reason = StopReason.COVERED if not left else StopReason.NOTHING_PROMISED
        if left:
            notes.append(f"{left} of {total} required elements are not covered; they may be infeasible with this input")
        if skipped:
            notes.append(
                f"{count(skipped, 'race variant')} promised nothing new, so failures that only they lead to were not "
                "looked for; --approach reachability runs all SYN-sequences"
            )
    return replace(result, stopped_because=reason, notes=tuple(notes))
