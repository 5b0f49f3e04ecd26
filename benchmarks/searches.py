"""Adapters that measure how fast each search is, when it reports that it is done, and when it finds a trap's failure.

raddle's searches measure the criteria named after a `+`: `random` measures nothing, and `random+default` measures the
default criteria. A search that targets uncovered requirements, such as `directed`, always measures at least the default
criteria. It measures every execution until the coverage of these criteria is saturated. After that, it measures only a
sample of the executions, but continues to search for failures.
"""

import os
from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

from contestants import Explore, RefusedError
from scenarios import Scenario, State, finished, outcomes
from traps import Trap

SOURCE = ["scenarios", "traps"]
MAX_OPERATIONS = 100_000  # operations per execution, for a peer that requires a limit
PATIENCE_SECONDS = 60.0  # time limit for one search of a peer


class Space(NamedTuple):
    """The result of a search that should visit every order once."""

    executions: int
    seconds: float  # duration of the whole call
    searching_seconds: float  # duration without one-time work, such as raddle's instrumentation
    done: bool  # True if the tool reports that it has visited every order
    outcomes: frozenset[int]


# Takes (trap, maximum number of executions, seed); returns the number of the failing execution, or None.
Search = Callable[[Trap, int, int], int | None]


# -- raddle ------------------------------------------------------------------------------------------


def raddle_with(search: str) -> Explore:
    """Return an adapter for `cell.executions_per_second`."""
    scheduler, _, criteria = search.partition("+")

    def explore(scenario: Scenario, executions: int, seed: int) -> int:
        import raddle

        result = raddle.explore(
            scenario.model,
            executions=executions,
            scheduler=scheduler,
            seed=seed,
            until="budget" if criteria else "first-finding",  # no scenario fails, so both rules stop at the budget
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
    """Search with default settings, except for the stop rule."""
    import raddle

    result = raddle.explore(
        trap.model, executions=executions, seed=seed, until="first-finding", shrink=False, source=SOURCE
    )
    return result.findings[0].execution if result.findings else None


def schedule_to(scenario: Scenario, wrong: int) -> str | None:
    """Return a shrunk schedule that leads to the given outcome, checked by replaying it; None if none was found."""
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
    os.environ["FRONTRUN_ACTIVE"] = "1"  # as frontrun's command does; its preloaded I/O library is not needed
    import frontrun

    def invariant(left: State) -> bool:
        outcome = left.outcome()
        finished(outcome)
        return outcome != wrong

    if options["strategy"] == "dpor":
        options["clock"] = "virtual"  # with the real clock, frontrun hangs when threads wait for each other
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
            raise RefusedError(f"failed in another way: {result.failure.exception!r}")
        return None if result.failure is None else int(result.schedules_run)

    return search


SPACES_OF: dict[str, Callable[[Scenario, int], Space]] = {
    "raddle": raddle_space,
    "frontrun-dpor": frontrun_space(bound=None),  # every order, as in raddle's search
    "frontrun-dpor-default": frontrun_space(bound=2),  # at most two preemptions, which is frontrun's default
}
TRAPPED: dict[str, Search] = {
    "raddle": raddle_trapped,
    "frontrun-dpor": frontrun_dpor_trapped,
    "frontrun-random": frontrun_random_trapped,
    "interleave-test-random": interleave_trapped("random"),
    "interleave-test-pct": interleave_trapped("pct"),
}
DETERMINISTIC = ("frontrun-dpor",)  # searches for which one seed is enough
