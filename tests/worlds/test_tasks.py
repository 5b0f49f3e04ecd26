"""Tasks that share a carrier are scheduled step by step. Steps with disjoint footprints commute."""

from __future__ import annotations

from collections.abc import Callable, Generator

import pytest
import tasks
from tasks import Shared

from raddle.exploring.stop_rules import Budget
from raddle.exploring.workbench import Workbench
from raddle.result import Result
from raddle.stop_reason import StopReason

Task = Generator[None, None, None]
ALL = Budget(executions=5_000, until="exhausted")


def explore(scenario: Callable[[], None], scheduler: str, budget: Budget = ALL) -> Result:
    with Workbench(tasks.Tasks()) as workbench:
        return workbench.explore(scenario, scheduler=scheduler, budget=budget)


def increments(final_values: set[object], *names: str) -> Callable[[], None]:
    """Return a scenario with one task per name.

    Each task reads the value in one step and writes that value plus one in the next.
    """

    def scenario() -> None:
        shared = Shared()

        def task(name: str) -> Task:
            value = shared.get(name)
            yield
            shared.set(name, value + 1)

        tasks.run_loop(shared, *[lambda name=name: task(name) for name in names])
        final_values.add(tuple(sorted({(name, shared.get(name)) for name in names})))

    return scenario


@pytest.mark.parametrize("scheduler", ["exhaustive", "deepening"])
def test_two_tasks_with_two_steps_each_have_six_schedules(scheduler: str) -> None:
    # Two tasks with two steps each can interleave in 4! / (2! 2!) = 6 orders.
    final_values: set[object] = set()
    result = explore(increments(final_values, "x", "x"), scheduler)
    assert result.stopped_because is StopReason.EXHAUSTED
    assert result.executions == 6
    assert final_values == {(("x", 1),), (("x", 2),)}


def test_reachability_runs_conflicting_steps_in_every_distinct_order() -> None:
    # The two reads commute. Either task can finish before the other begins, or both can read first and then write in
    # either order: 4 partial orders.
    final_values: set[object] = set()
    result = explore(increments(final_values, "x", "x"), "reachability")
    assert result.stopped_because is StopReason.EXHAUSTED
    assert final_values == {(("x", 1),), (("x", 2),)}
    assert 4 <= result.executions < 6


def test_steps_on_different_names_commute() -> None:
    final_values: set[object] = set()
    result = explore(increments(final_values, "x", "y", "z"), "reachability")
    assert result.stopped_because is StopReason.EXHAUSTED
    assert result.executions == 1
    assert final_values == {(("x", 1), ("y", 1), ("z", 1))}


@pytest.mark.parametrize("scheduler", ["random", "pos", "reachability"])
def test_a_lost_update_is_found(scheduler: str) -> None:
    def scenario() -> None:
        final_values: set[object] = set()
        increments(final_values, "x", "x")()
        if final_values != {(("x", 2),)}:
            raise ValueError("an update was lost")

    result = explore(scenario, scheduler, Budget(executions=200))
    assert [finding.message for finding in result.findings] == ["ValueError('an update was lost')"]
