"""Explores a scenario in one mode of sends."""

from __future__ import annotations

import time
from concurrent.futures import Executor
from dataclasses import KW_ONLY, dataclass, replace

from raddle.errors import UsageError
from raddle.exploring.progress import ProgressCallback
from raddle.exploring.stop_rules import Budget
from raddle.exploring.workbench import Workbench
from raddle.messages.approach import BY_COVERAGE, OWN, PlanWithPolicy, concluded, make_search
from raddle.messages.criteria_goal import CriteriaGoal
from raddle.messages.goal import Remaining
from raddle.messages.parallel_exploring import confirmed, gather
from raddle.messages.scenario import MessageScenario
from raddle.mpi.installation import MpiInstallation
from raddle.mpi.world import MpiWorld
from raddle.result import Result
from raddle.stop_reason import StopReason


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How to explore a scenario. The fields are options of `raddle.messages.explore`."""

    approach: str
    seed: int
    budget: Budget
    _: KW_ONLY
    shrink: bool = False
    criteria: tuple[str, ...] = ()
    workers: int | Executor | None = None
    progress: ProgressCallback | None = None


def explored_in_mode(scenario: MessageScenario, settings: SearchSettings) -> tuple[Result, MpiWorld]:
    """Explore a scenario in one mode of sends; return the result and the world that executed it."""
    begun = time.monotonic()
    approach, budget, workers, criteria = settings.approach, settings.budget, settings.workers, settings.criteria
    gathered = None if workers is None else gather(scenario, workers, budget)
    if gathered is not None and gathered.refusal:
        raise _unsupported(scenario, gathered.refusal)
    workbench = Workbench(scenario.domain(criteria))
    installation = workbench.installation
    assert isinstance(installation, MpiInstallation)
    world = installation.world
    search = None
    if approach in OWN and gathered is None:
        search = make_search(approach, world, _remaining(installation, approach, criteria), seed=settings.seed)
    plan = scenario.plan(
        installation,
        criteria,
        scheduler=approach,
        seed=settings.seed,
        until=budget.until,
        shrink=settings.shrink,
        keep=False,
    )
    if search is not None:
        plan = PlanWithPolicy.of(plan, search)
    if gathered is not None:
        result = confirmed(gathered, plan, workbench, world)
    else:
        with workbench:
            result, _ = workbench.search(plan, budget, progress=settings.progress)
    if world.refusal is not None:
        raise _unsupported(scenario, world.refusal)
    if world.limited_polls and result.stopped_because is StopReason.EXHAUSTED:
        result = replace(result, stopped_because=StopReason.EXHAUSTED_WITHIN_BOUND)
    result = result if search is None else concluded(result, search)
    return replace(result, seconds=time.monotonic() - begun), world


def _remaining(installation: MpiInstallation, approach: str, criteria: tuple[str, ...]) -> Remaining | None:
    """Return what an approach has to cover; None if coverage does not direct it."""
    graph = installation.model().graph
    if approach not in BY_COVERAGE or graph is None:
        return None
    return Remaining(CriteriaGoal(installation.world, graph, criteria))


def _unsupported(scenario: MessageScenario, call: object) -> UsageError:
    return UsageError("unsupported-mpi-call", f"{scenario.name} uses {call}, which raddle does not simulate")
