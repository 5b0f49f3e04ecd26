"""Approaches to exploring message-passing programs that know the world of ranks, unlike schedulers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

from raddle.exploring.units import SearchPlan
from raddle.messages.variant_search import VariantSearch
from raddle.mpi.world import MpiWorld
from raddle.schedulers.base import Scheduler
from raddle.wording import count

VARIANTS = "variants"


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


def variant_policy(world: MpiWorld) -> VariantSearch:
    """Return the match-based explorer for executions in a world."""
    return VariantSearch(world)


def notes_of(search: VariantSearch) -> tuple[str, ...]:
    """Return what a user should know about a finished search."""
    return (f"the search kept an index of {count(len(search.known), 'SYN-sequence')}",)
