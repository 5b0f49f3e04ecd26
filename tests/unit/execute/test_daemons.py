"""An execution ends once its non-daemon threads have ended, even if a daemon thread would run forever."""

from __future__ import annotations

import threading

import pytest

import raddle


class Clock:
    def __init__(self) -> None:
        self.ticks = 0

    def run(self) -> None:
        while True:
            self.ticks += 1


def left_alone() -> None:
    clock = Clock()
    threading.Thread(target=clock.run, daemon=True).start()


@pytest.mark.parametrize("scheduler", ["portfolio", "random", "pos", "round-robin"])
def test_a_spinning_daemon_does_not_prevent_the_end_of_an_execution(scheduler: str) -> None:
    result = raddle.explore(left_alone, scheduler=scheduler, executions=30, until="budget", source=[__file__])
    assert result.findings == ()
    assert result.executions == 30


def test_an_execution_may_end_after_any_step_of_a_daemon() -> None:
    seen = set()

    def scenario() -> None:
        box: list[int] = []

        def work() -> None:
            box.append(1)
            box.append(2)

        threading.Thread(target=work, daemon=True).start()
        seen.add(len(box))

    result = raddle.explore(scenario, scheduler="reachability", until="exhausted", source=[__file__])
    assert result.exhausted
    assert seen == {0, 1, 2}
