"""Exhaustive searches find every possible result of passing shared containers to code without probes."""

from __future__ import annotations

from collections.abc import Callable

import handed_over
import pytest

import raddle


@pytest.mark.parametrize("scheduler", ["exhaustive", "reachability"])
@pytest.mark.parametrize("program", handed_over.PROGRAMS, ids=lambda program: program.__name__)
def test_complete_searches_find_every_possible_observation(
    program: Callable[[handed_over.Note], None], scheduler: str
) -> None:
    observed: set[object] = set()

    def scenario() -> None:
        program(observed.add)

    result = raddle.explore(
        scenario, scheduler=scheduler, executions=None, until="budget", source=["handed_over"], seed=1
    )
    assert observed == handed_over.PROGRAMS[program]
    assert result.stopped_because == "exhausted"
