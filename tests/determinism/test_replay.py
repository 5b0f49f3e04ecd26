"""Replaying a schedule from its text reproduces the execution.

Set `RADDLE_SCHEDULES=10000` to draw and replay 10,000 random schedules.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import explorer
import pytest
import shelf
from small_programs import Draw

from raddle.execute.session import Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection
from raddle.schedule import Schedule
from raddle.schedulers.random_walk import RandomWalk

SHELF = [(kind, name) for kind in ("faulty", "correct") for name in shelf.names(kind)]
RANDOM_PROGRAMS = 31
SCHEDULES = int(os.environ.get("RADDLE_SCHEDULES", "250"))
PER_PROGRAM = -(-SCHEDULES // (len(SHELF) + RANDOM_PROGRAMS))  # schedules per program, rounded up


@pytest.mark.parametrize(("kind", "name"), SHELF)
def test_schedules_of_handwritten_programs_replay_from_their_text(kind: str, name: str) -> None:
    program = shelf.program(kind, name)
    replay_many(program.scenario, Selection(sources=(program.__name__,)))


@pytest.mark.parametrize("number", range(RANDOM_PROGRAMS))
def test_schedules_of_random_programs_replay_from_their_text(number: int, tmp_path: Path) -> None:
    module, notebook = explorer.load(Draw(number).program(), tmp_path, f"drawn{number}")
    replay_many(module.scenario, Selection(root=str(tmp_path)), notebook.clear)


def replay_many(
    scenario: Callable[[], object], selection: Selection, setup: Callable[[], object] | None = None
) -> None:
    walk = RandomWalk(seed=11)
    with Session(scenario, Threads(selection).install(), setup=setup) as session:
        session.rehearse()
        for number in range(1, PER_PROGRAM + 1):
            walk.begin(number, 0)
            snapshot = session.snapshot()
            execution = session.run_for(walk)
            original = session.replay_decisions(execution.decisions, snapshot)
            assert original.divergence is None
            assert original.outcome.kind == execution.outcome.kind
            assert original.outcome.message == execution.outcome.message or original.outcome.kind == "lost-wakeup"
            text = str(original.schedule)
            replayed = session.replay(Schedule.parse(text))
            # If threads interact in code without probes, only the schedule that lists every switch reproduces the
            # execution.
            if original.every_switch is not None and not replayed.same_as(original):
                text = str(original.every_switch)
                replayed = session.replay(Schedule.parse(text))
            assert replayed.divergence is None, f"{text}\n{replayed.divergence}"
            assert replayed.same_as(original), text
            repeated = session.replay(Schedule.parse(text))
            assert repeated.trace == replayed.trace, text
            assert repeated.outcome == replayed.outcome
