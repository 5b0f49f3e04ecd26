"""What is seen without waiting depends on the moment; the exhaustive search finds all there is to see."""

from __future__ import annotations

from collections.abc import Callable

import looks
import pytest

import raddle


@pytest.mark.parametrize("program", looks.PROGRAMS, ids=lambda program: program.__name__)
def test_everything_that_can_be_seen_is(program: Callable[[looks.Note], None]) -> None:
    seen: set[object] = set()

    def scenario() -> None:
        program(seen.add)

    result = raddle.explore(scenario, scheduler="exhaustive", executions=None, until="budget", source=["looks"], seed=1)
    assert seen == looks.PROGRAMS[program]
    assert result.stopped_because == "exhausted"
