"""The strategies of Souza et al. for testing a program with a pool of inputs: CovT, RT and RTCovT."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from raddle.errors import UsageError
from raddle.execute.session import Session
from raddle.messages.composite import RANDOM_RUNS, CompositeSearch
from raddle.messages.criteria_goal import DEFAULT_CRITERIA, CriteriaGoal
from raddle.messages.goal import Remaining, Requirement
from raddle.messages.scenario import MessageScenario
from raddle.messages.variant_search import VariantSearch
from raddle.mpi.installation import MpiInstallation
from raddle.mpi.world import MpiWorld


class Strategy(StrEnum):
    """How the SYN-sequences of each input are chosen."""

    COV_T = "CovT"  # random executions until everything is covered; controlled execution for the remainder
    RT = "RT"  # all SYN-sequences
    RT_COV_T = "RTCovT"  # the composite approach: variants that promise an uncovered requirement


class Ending(StrEnum):
    """Why testing ended."""

    COVERED = "every requirement is covered"
    INPUTS = "no input is left"
    STOPPED = "the caller stopped"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One execution, for callers that compare results."""

    arguments: tuple[str, ...]
    failed: bool
    output: tuple[str, ...]  # what the ranks printed, by rank


Stop = Callable[[Attempt], bool]


@dataclass(frozen=True, slots=True)
class Tried:
    """One input of the pool."""

    arguments: tuple[str, ...]
    executions: int
    covered_before: int  # how many requirements of the whole pool were covered before
    covered: tuple[int, ...]  # by execution: how many requirements of the whole pool were covered after it
    failed: int  # number of executions that failed
    complete: bool  # False if the limit on executions was reached
    uncovered: frozenset[Requirement]  # what was not covered after this input

    @property
    def gained(self) -> bool:
        """Whether some execution covered something new; otherwise the pool does not need the input."""
        return bool(self.covered) and self.covered[-1] > self.covered_before


@dataclass(frozen=True, slots=True)
class PoolResult:
    """The results of all inputs that were tried."""

    tried: tuple[Tried, ...]
    required: int  # number of requirements, without those marked as infeasible
    uncovered: frozenset[Requirement]
    ending: Ending

    @property
    def executions(self) -> int:
        """The number of executions of all inputs."""
        return sum(tried.executions for tried in self.tried)

    @property
    def needed(self) -> tuple[tuple[str, ...], ...]:
        """The inputs that covered something new, which is the test set of the composite approach."""
        return tuple(tried.arguments for tried in self.tried if tried.gained)


class _Reachability(VariantSearch):
    """Runs all variants, and keeps track of what they cover."""

    def __init__(self, world: MpiWorld, remaining: Remaining) -> None:
        super().__init__(world)
        self.remaining = remaining

    def end(self) -> None:
        super().end()
        assert self.trace is not None
        self.remaining.add(self.trace)


def try_inputs(
    scenario: MessageScenario,
    inputs: Iterable[Sequence[object]],
    *,
    strategy: Strategy = Strategy.RT_COV_T,
    criteria: tuple[str, ...] = DEFAULT_CRITERIA,
    executions: int = 1_000,
    random_runs: int = RANDOM_RUNS,
    infeasible: Collection[Requirement] = (),
    stop: Stop = lambda attempt: False,
) -> PoolResult:
    """Test a program with inputs, which are command-line arguments, until everything is covered or no input is left.

    `executions` limits the executions of each input. With the strategy RT, every input is tried.
    Requirements marked as `infeasible` need not be covered. `stop` is called after each execution; testing ends when it
    returns true.
    """
    remaining: Remaining | None = None
    tried: list[Tried] = []
    stopped = False

    def watch(attempt: Attempt) -> bool:
        nonlocal stopped
        stopped = stop(attempt)
        return stopped

    for arguments in inputs:
        if remaining is not None and remaining.is_empty and strategy is not Strategy.RT:
            break
        if stopped:
            break
        given = replace(scenario, argv=tuple(map(str, arguments)))
        installation = given.domain(criteria).install()
        assert isinstance(installation, MpiInstallation)
        graph = installation.model().graph
        if graph is None:
            raise UsageError("bad-program", f"{scenario.name} is not a file, so its coverage cannot be measured")
        remaining = Remaining(CriteriaGoal(installation.world, graph, criteria), remaining)
        remaining.uncovered.difference_update(infeasible)
        search = _search(strategy, installation.world, remaining, random_runs, scenario.seed)
        with Session(given.scenario(installation), installation, **given.session_options(criteria)) as session:
            required = len(set(remaining.goal.required).difference(infeasible))
            runs = _Runs(given.argv, session, installation.world, remaining, required)
            tried.append(runs.run(search, executions, watch))
    if remaining is None:
        raise UsageError("no-inputs", "there is no input to test the program with")
    ending = Ending.STOPPED if stopped else Ending.COVERED if remaining.is_empty else Ending.INPUTS
    return PoolResult(tuple(tried), required, frozenset(remaining.uncovered), ending)


def _search(
    strategy: Strategy, world: MpiWorld, remaining: Remaining, random_runs: int, seed: int
) -> _Reachability | CompositeSearch:
    if strategy is Strategy.RT:
        return _Reachability(world, remaining)
    runs = random_runs if strategy is Strategy.COV_T else 0
    return CompositeSearch(world, remaining, random_runs=runs, seed=seed)


@dataclass(frozen=True, slots=True)
class _Runs:
    """The executions of one input."""

    arguments: tuple[str, ...]
    session: Session
    world: MpiWorld
    remaining: Remaining
    required: int

    def run(self, search: VariantSearch, limit: int, stop: Stop) -> Tried:
        """Run what a search asks for."""
        before = self.covered
        covered: list[int] = []
        failed = 0
        while len(covered) < limit and search.begin(len(covered) + 1, self.session.known_points.version):
            outcome = self.session.run_for(search).outcome
            if self.session.interrupted:
                raise KeyboardInterrupt
            failed += outcome.failed
            covered.append(self.covered)
            if stop(Attempt(self.arguments, outcome.failed, self.world.output.texts)):
                break
        left = frozenset(self.remaining.uncovered)
        return Tried(self.arguments, len(covered), before, tuple(covered), failed, search.finished, left)

    @property
    def covered(self) -> int:
        """The number of requirements that are covered now."""
        return self.required - len(self.remaining.uncovered)
