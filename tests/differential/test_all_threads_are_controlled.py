"""Threads are controlled no matter how they are created, and locks no matter how the program obtains them.

In each scenario two increments race. The lost update is found only if both threads are controlled. The version with a
lock passes in more than one interleaving only if the lock is controlled too.
"""

from __future__ import annotations

import pytest
import ways

import raddle


def explored(scenario: object) -> raddle.Result:
    return raddle.explore(
        scenario,  # type: ignore[arg-type]
        scheduler="exhaustive",
        executions=5_000,
        until="budget",
        source=["ways"],
        setup=ways.reset,
    )


@pytest.mark.parametrize("name", ways.THREADS)
def test_threads_created_in_any_way_are_controlled(name: str) -> None:
    result = raddle.explore(ways.THREADS[name], source=["ways"])
    assert [finding.message for finding in result.findings] == ["AssertionError: 1"]


@pytest.mark.parametrize("name", ways.LOCKS)
def test_locks_obtained_in_any_way_are_controlled(name: str) -> None:
    result = explored(ways.LOCKS[name])
    assert result.findings == ()
    assert result.stopped_because == "exhausted"
    assert result.executions > 1


@pytest.mark.parametrize("name", ways.CROSSED)
def test_locks_obtained_in_any_way_can_deadlock(name: str) -> None:
    result = explored(ways.CROSSED[name])
    assert [finding.kind for finding in result.findings] == ["deadlock"]
