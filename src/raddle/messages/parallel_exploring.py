"""Explores a scenario with several workers, and turns the failures into findings in this process."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import replace

from raddle.exploring.stop_rules import Budget
from raddle.exploring.units import SearchPlan
from raddle.exploring.workbench import Workbench
from raddle.messages.approach import PlanWithPolicy
from raddle.messages.forcing import Forcing
from raddle.messages.parallel import Gathered, ParallelSearch
from raddle.messages.scenario import MessageScenario
from raddle.messages.variant_worker import Begin
from raddle.mpi.world import MpiWorld
from raddle.result import Result
from raddle.stop_reason import StopReason


class _Repetition(Forcing):
    """Repeats executions."""

    complete = True

    def __init__(self, world: MpiWorld, executions: Iterable[Begin]) -> None:
        super().__init__(world)
        self._executions = iter(executions)

    def begin(self, number: int, space: int) -> bool:
        execution = next(self._executions, None)
        if execution is None:
            return False
        self.outcomes = dict(execution)
        return True


def gather(scenario: MessageScenario, workers: int | Executor, budget: Budget) -> Gathered:
    """Run every SYN-sequence of a scenario with several workers."""
    gathered = ParallelSearch(scenario, workers, budget).run()
    if gathered.reason is StopReason.EXHAUSTED and gathered.bound:
        gathered.reason = StopReason.EXHAUSTED_WITHIN_BOUND
    return gathered


def confirmed(gathered: Gathered, plan: SearchPlan, workbench: Workbench, world: MpiWorld) -> Result:
    """Repeat one execution for each kind of failure; return the result of the whole search.

    The world then has the sequences of all workers.
    """
    with workbench:
        policy = _Repetition(world, gathered.representatives())
        result, _ = workbench.search(PlanWithPolicy.of(plan, policy), Budget(until="exhausted"))
    world.sequences = dict.fromkeys(gathered.sequences, 1)
    world.used_collectives |= gathered.used_collectives
    world.limited_polls |= gathered.limited_polls
    reason = gathered.reason
    if result.stopped_because is StopReason.INTERRUPTED:
        reason = StopReason.INTERRUPTED
    findings = result.findings[:1] if reason is StopReason.FIRST_FINDING else result.findings
    notes = [f"the search kept an index of {len(gathered.sequences)} SYN-sequences"]
    if gathered.bound:
        notes.append(f"every sequence within the bound on {gathered.bound} was executed; other sequences exist")
    return replace(
        result,
        findings=findings,
        executions=gathered.executions,
        scheduling_points=gathered.steps,
        stopped_because=reason,
        notes=(*result.notes, *notes),
        orders={"partial_orders": gathered.executions, "interleavings": 0},
    )
