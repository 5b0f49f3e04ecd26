"""Adapters for the tools: each runs at most a given number of executions of a scenario, and returns how many it ran.

Each adapter uses the fastest public interface of its tool, without reports, reproduction reruns or I/O detection. An
adapter may run fewer executions if its tool exhausts the search space. The scenarios assert nothing, so an adapter
raises an error if the tool reports anything but a completed search.
"""

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from scenarios import Scenario, State, finished

Explore = Callable[[Scenario, int, int], int]


class Contestant(NamedTuple):
    package: str  # package name; the modes of a package count as one peer
    requirement: str | None  # pip requirement; None: nothing to install
    explore: Explore  # takes (scenario, maximum number of executions, seed) and returns how many executions it ran


class RefusedError(Exception):
    """Raised if a tool does not complete its search, or if it reports impossible results."""


def raddle_random(scenario: Scenario, executions: int, seed: int) -> int:
    import raddle

    result = raddle.explore(scenario.model, executions=executions, scheduler="random", seed=seed, until="budget")
    return result.executions


def frontrun_random(scenario: Scenario, executions: int, seed: int) -> int:
    return _frontrun(scenario, strategy="random", max_attempts=executions, seed=seed)


def frontrun_dpor(scenario: Scenario, executions: int, _seed: int) -> int:
    # With the real clock, frontrun 0.7.0 hangs in queue3 and condbuf3 until its timeout. With the virtual clock, it
    # does not hang, and the other scenarios run just as fast. frontrun's random mode does not need the virtual clock
    # and is slower with it.
    return _frontrun(scenario, strategy="dpor", max_executions=executions, clock="virtual")


def _frontrun(scenario: Scenario, **options: Any) -> int:
    os.environ["FRONTRUN_ACTIVE"] = "1"  # as frontrun's command does; its preloaded I/O library is not needed
    import frontrun

    def invariant(state: State) -> bool:
        finished(state.outcome())
        return True

    workers = [scenario.state.first, scenario.state.second]
    result = frontrun.explore(scenario.state, workers, invariant, detect_io=False, reproduce_on_failure=0, **options)
    if result.property_holds is not True:
        raise RefusedError(result.explanation)
    return result.num_explored


def interleave_random(scenario: Scenario, executions: int, seed: int) -> int:
    return _interleave(scenario, executions, seed, strategy="random")


def interleave_pct(scenario: Scenario, executions: int, seed: int) -> int:
    return _interleave(scenario, executions, seed, strategy="pct")


def _interleave(scenario: Scenario, executions: int, seed: int, *, strategy: str) -> int:
    import interleave_test

    # interleave-test raises an exception on a failure. A race in `n += 1` is detected only with the default
    # granularity, one opcode.
    result = interleave_test.explore(scenario.model, iterations=executions, seed=seed, strategy=strategy)
    return result.schedules_run


def plain(scenario: Scenario, executions: int, _seed: int) -> int:
    for _ in range(executions):
        scenario.model()
    return executions


CONTESTANTS = {
    "raddle": Contestant("raddle", ".", raddle_random),
    "frontrun-random": Contestant("frontrun", "frontrun==0.7.0", frontrun_random),
    "frontrun-dpor": Contestant("frontrun", "frontrun==0.7.0", frontrun_dpor),
    "interleave-test-random": Contestant("interleave-test", "interleave-test==0.1.0", interleave_random),
    "interleave-test-pct": Contestant("interleave-test", "interleave-test==0.1.0", interleave_pct),
    "plain": Contestant("plain", None, plain),
}
