"""The exhaustive search finds every possible result of operations that observe shared objects without blocking."""

from __future__ import annotations

from collections.abc import Callable

import observations
import pytest

import raddle


@pytest.mark.parametrize("program", observations.PROGRAMS, ids=lambda program: program.__name__)
def test_the_exhaustive_search_finds_every_possible_observation(program: Callable[[observations.Note], None]) -> None:
    observed: set[object] = set()

    def scenario() -> None:
        program(observed.add)

    result = raddle.explore(
        scenario, scheduler="exhaustive", executions=None, until="budget", source=["observations"], seed=1
    )
    assert observed == observations.PROGRAMS[program]
    assert result.stopped_because == "exhausted"
