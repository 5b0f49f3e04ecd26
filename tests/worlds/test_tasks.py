"""Tasks that share a carrier are ordered one by one, and commute if their steps touch different things."""

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


def increments(ends: set[object], *names: str) -> Callable[[], None]:
    """A task for each name reads it in one step and writes it, one larger, in the next."""

    def scenario() -> None:
        shared = Shared()

        def task(name: str) -> Task:
            value = shared.get(name)
            yield
            shared.set(name, value + 1)

        tasks.run_loop(shared, *[lambda name=name: task(name) for name in names])
        ends.add(tuple(sorted({(name, shared.get(name)) for name in names})))

    return scenario


@pytest.mark.parametrize("scheduler", ["exhaustive", "deepening"])
def test_two_tasks_of_two_steps_have_six_schedules(scheduler: str) -> None:
    # 4! / (2! 2!) = 6 ways to put the steps of two tasks in order.
    ends: set[object] = set()
    result = explore(increments(ends, "x", "x"), scheduler)
    assert result.stopped_because is StopReason.EXHAUSTED
    assert result.executions == 6
    assert ends == {(("x", 1),), (("x", 2),)}


def test_steps_that_touch_the_same_name_are_tried_in_every_order_that_matters() -> None:
    # The two reads commute. Reads and writes: one after the other, the other way round, or both reads first and then
    # the writes in either order: 4 partial orders.
    ends: set[object] = set()
    result = explore(increments(ends, "x", "x"), "reachability")
    assert result.stopped_because is StopReason.EXHAUSTED
    assert ends == {(("x", 1),), (("x", 2),)}
    assert 4 <= result.executions < 6


def test_steps_that_touch_different_names_commute() -> None:
    ends: set[object] = set()
    result = explore(increments(ends, "x", "y", "z"), "reachability")
    assert result.stopped_because is StopReason.EXHAUSTED
    assert result.executions == 1
    assert ends == {(("x", 1), ("y", 1), ("z", 1))}


@pytest.mark.parametrize("scheduler", ["random", "pos", "reachability"])
def test_a_lost_update_is_found(scheduler: str) -> None:
    def scenario() -> None:
        ends: set[object] = set()
        increments(ends, "x", "x")()
        if ends != {(("x", 2),)}:
            raise ValueError("an update was lost")

    result = explore(scenario, scheduler, Budget(executions=200))
    assert [finding.message for finding in result.findings] == ["ValueError('an update was lost')"]
