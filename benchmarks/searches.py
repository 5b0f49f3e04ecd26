"""One small adapter per search: how fast it is, when it says that it is done, and when it falls into a trap.

raddle's searches measure what the name says after a `+`: `random` measures nothing, `random+default` the default
criteria. One that aims at what is not covered, as `directed`, measures the default criteria also where nothing is said:
every execution until these are saturated, and a sample from then on, as it is out for failures.
"""

import os
from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

from contestants import Explore, RefusedError
from scenarios import Scenario, State, finished, outcomes
from traps import Trap

SOURCE = ["scenarios", "traps"]
MAX_OPERATIONS = 100_000  # in an execution of a peer that wants to know
PATIENCE_SECONDS = 60.0  # for one search of a peer


class Space(NamedTuple):
    """A search that was to visit every order, once."""

    executions: int
    seconds: float  # of the whole call
    searching_seconds: float  # without what is done once: raddle rewrites the code before
    done: bool  # does it say that it has seen everything?
    outcomes: frozenset[int]


Search = Callable[[Trap, int, int], int | None]  # (trap, executions at most, seed) -> the execution that failed


# -- raddle ------------------------------------------------------------------------------------------


def raddle_with(search: str) -> Explore:
    """For `cell.executions_per_second`."""
    scheduler, _, criteria = search.partition("+")

    def explore(scenario: Scenario, executions: int, seed: int) -> int:
        import raddle

        result = raddle.explore(
            scenario.model,
            executions=executions,
            scheduler=scheduler,
            seed=seed,
            until="budget" if criteria else "first-finding",  # there is none
            criteria=criteria,
            source=SOURCE,
        )
        return result.executions

    return explore


def raddle_space(scenario: Scenario, executions: int) -> Space:
    import raddle

    outcomes.clear()
    started = perf_counter()
    result = raddle.explore(
        scenario.model, executions=executions, scheduler="reachability", until="exhausted", source=SOURCE
    )
    seconds = perf_counter() - started
    return Space(result.executions, seconds, result.seconds, result.exhausted, frozenset(outcomes))


def raddle_trapped(trap: Trap, executions: int, seed: int) -> int | None:
    """With defaults, but for the end."""
    import raddle

    result = raddle.explore(
        trap.model, executions=executions, seed=seed, until="first-finding", shrink=False, source=SOURCE
    )
    return result.findings[0].execution if result.findings else None


def schedule_to(scenario: Scenario, wrong: int) -> str | None:
    """A schedule that ends with that outcome, shrunk, and seen to do so again."""
    import raddle

    def model() -> None:
        scenario.model()
        assert outcomes[-1] != wrong

    result = raddle.explore(model, scheduler="reachability", executions=5_000, until="first-finding", source=SOURCE)
    if not result.findings or result.findings[0].schedule is None:
        return None
    schedule = str(result.findings[0].schedule)
    return schedule if raddle.replay(model, schedule, source=SOURCE) is not None else None


# -- peers -------------------------------------------------------------------------------------------


def frontrun_space(*, bound: int | None) -> Callable[[Scenario, int], Space]:
    def search(scenario: Scenario, executions: int) -> Space:
        outcomes.clear()
        started = perf_counter()
        result = _frontrun(scenario.state, None, strategy="dpor", max_executions=executions, preemption_bound=bound)
        seconds = perf_counter() - started
        done = result.property_holds is True and result.num_explored < executions
        return Space(result.num_explored, seconds, seconds, done, frozenset(outcomes))

    return search


def frontrun_dpor_trapped(trap: Trap, executions: int, _seed: int) -> int | None:
    return _trapped(_frontrun(trap.state, trap.wrong, strategy="dpor", max_executions=executions))


def frontrun_random_trapped(trap: Trap, executions: int, seed: int) -> int | None:
    return _trapped(_frontrun(trap.state, trap.wrong, strategy="random", max_attempts=executions, seed=seed))


def _trapped(result: Any) -> int | None:
    if result.property_holds is None:
        raise RefusedError(result.inconclusive_reason or result.explanation)
    return None if result.property_holds else int(result.num_explored)


def _frontrun(state: type[State], wrong: int | None, **options: Any) -> Any:
    os.environ["FRONTRUN_ACTIVE"] = "1"  # as its command line does; its preloaded I/O library isn't needed
    import frontrun

    def invariant(left: State) -> bool:
        outcome = left.outcome()
        finished(outcome)
        return outcome != wrong

    if options["strategy"] == "dpor":
        options["clock"] = "virtual"  # on the real one it hangs where threads wait for one another
    else:
        options["max_ops"] = MAX_OPERATIONS
    return frontrun.explore(
        state,
        [state.first, state.second],
        invariant,
        detect_io=False,
        reproduce_on_failure=0,
        total_timeout=PATIENCE_SECONDS,
        **options,
    )


def interleave_trapped(strategy: str) -> Search:
    def search(trap: Trap, executions: int, seed: int) -> int | None:
        import interleave_test

        result = interleave_test.explore(
            trap.model, iterations=executions, seed=seed, strategy=strategy, raise_on_failure=False
        )
        if result.failure is not None and not isinstance(result.failure.exception, AssertionError):
            raise RefusedError(f"failed otherwise: {result.failure.exception!r}")
        return None if result.failure is None else int(result.schedules_run)

    return search


SPACES_OF: dict[str, Callable[[Scenario, int], Space]] = {
    "raddle": raddle_space,
    "frontrun-dpor": frontrun_space(bound=None),  # every order, as raddle's
    "frontrun-dpor-default": frontrun_space(bound=2),  # at most two preemptions, which is its default
}
TRAPPED: dict[str, Search] = {
    "raddle": raddle_trapped,
    "frontrun-dpor": frontrun_dpor_trapped,
    "frontrun-random": frontrun_random_trapped,
    "interleave-test-random": interleave_trapped("random"),
    "interleave-test-pct": interleave_trapped("pct"),
}
DETERMINISTIC = ("frontrun-dpor",)  # one seed tells all
