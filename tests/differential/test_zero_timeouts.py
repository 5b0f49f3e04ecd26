"""A timeout of 0 expires at once, so the result depends on the order of the threads. Every order is explored."""

from __future__ import annotations

import pytest
import zero_timeouts

import raddle


@pytest.mark.parametrize("scheduler", ["exhaustive", "reachability"])
@pytest.mark.parametrize("name", zero_timeouts.PROGRAMS)
def test_both_outcomes_are_explored(name: str, scheduler: str) -> None:
    program, expected = zero_timeouts.PROGRAMS[name]
    observed: set[object] = set()

    def scenario() -> None:
        program(observed.add)

    result = raddle.explore(
        scenario, scheduler=scheduler, executions=None, until="budget", source=["zero_timeouts"], seed=1
    )
    assert observed == expected
    assert (result.stopped_because, result.findings) == ("exhausted", ())


@pytest.mark.parametrize("name", zero_timeouts.PROGRAMS)
def test_native_runs_observe_only_expected_results(name: str) -> None:
    program, expected = zero_timeouts.PROGRAMS[name]
    observed: set[object] = set()
    program(observed.add)
    assert observed <= expected
