"""Threads made in any way, and primitives however they were caught, are under control.

In each scenario two increments race; the lost update is only found if both threads are controlled, and the
locked version is only free of it, with both orders seen, if the lock is too.
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
def test_threads(name: str) -> None:
    result = raddle.explore(ways.THREADS[name], source=["ways"])
    assert [finding.message for finding in result.findings] == ["AssertionError: 1"]


@pytest.mark.parametrize("name", ways.LOCKS)
def test_locks(name: str) -> None:
    result = explored(ways.LOCKS[name])
    assert result.findings == ()
    assert result.stopped_because == "exhausted"
    assert result.executions > 1


@pytest.mark.parametrize("name", ways.CROSSED)
def test_deadlocks(name: str) -> None:
    result = explored(ways.CROSSED[name])
    assert [finding.kind for finding in result.findings] == ["deadlock"]
