"""A timeout of 0 is over at once: what the thread finds then depends on the order, and every order is explored."""

from __future__ import annotations

import pytest
import zero_timeouts

import raddle


@pytest.mark.parametrize("scheduler", ["exhaustive", "reachability"])
@pytest.mark.parametrize("name", zero_timeouts.PROGRAMS)
def test_both_outcomes_are_explored(name: str, scheduler: str) -> None:
    program, expected = zero_timeouts.PROGRAMS[name]
    seen: set[object] = set()

    def scenario() -> None:
        program(seen.add)

    result = raddle.explore(
        scenario, scheduler=scheduler, executions=None, until="budget", source=["zero_timeouts"], seed=1
    )
    assert seen == expected
    assert (result.stopped_because, result.findings) == ("exhausted", ())


@pytest.mark.parametrize("name", zero_timeouts.PROGRAMS)
def test_natively_nothing_else_is_seen(name: str) -> None:
    program, expected = zero_timeouts.PROGRAMS[name]
    seen: set[object] = set()
    program(seen.add)
    assert seen <= expected
