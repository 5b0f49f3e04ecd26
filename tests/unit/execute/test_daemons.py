"""Daemons that would run for ever: the end of the others is theirs, and nobody waits for it."""

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
def test_a_daemon_that_spins(scheduler: str) -> None:
    result = raddle.explore(left_alone, scheduler=scheduler, executions=30, until="budget", source=[__file__])
    assert result.findings == ()
    assert result.executions == 30


def test_all_that_a_daemon_can_have_done() -> None:
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
