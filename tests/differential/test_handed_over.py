"""Code without probes works on containers that it is given; the complete searches find all that can come of it."""

from __future__ import annotations

from collections.abc import Callable

import handed_over
import pytest

import raddle


@pytest.mark.parametrize("scheduler", ["exhaustive", "reachability"])
@pytest.mark.parametrize("program", handed_over.PROGRAMS, ids=lambda program: program.__name__)
def test_everything_that_can_be_seen_is(program: Callable[[handed_over.Note], None], scheduler: str) -> None:
    seen: set[object] = set()

    def scenario() -> None:
        program(seen.add)

    result = raddle.explore(
        scenario, scheduler=scheduler, executions=None, until="budget", source=["handed_over"], seed=1
    )
    assert seen == handed_over.PROGRAMS[program]
    assert result.stopped_because == "exhausted"
