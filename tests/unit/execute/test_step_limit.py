"""The step limit is the exact maximum number of scheduling points in an execution."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import pytest

from raddle.engine.engine import Engine
from raddle.engine.points import KnownPoints
from raddle.engine.step_limit import StepLimit
from raddle.execute.session import FunctionScheduler, Session
from raddle.execute.thread_installation import Threads
from raddle.instrument import Selection
from raddle.schedulers.sequential import Sequential
from raddle.threads.world import ThreadWorld

LOCKS = 5


def takes_a_lock_often():
    lock = threading.Lock()
    for _ in range(LOCKS):
        with lock:
            pass


def ended(limit, scenario=takes_a_lock_often):
    with Session(scenario, Threads(Selection(root="/nowhere")).install(), step_limit=limit) as session:
        execution = session.run(Sequential().choose)
        return execution.outcome, execution.steps


def test_an_execution_may_have_exactly_as_many_points_as_the_limit():
    outcome, steps = ended(1_000_000)
    assert outcome.kind == "passed"
    assert steps >= LOCKS  # each acquire is a scheduling point; a release is one only after a conflict
    assert ended(steps)[0].kind == "passed"
    outcome, _ = ended(steps - 1)
    assert outcome.kind == "step-limit"
    assert f"did not end within {steps - 1} steps:" in outcome.message


def test_the_message_uses_the_singular_for_a_limit_of_one_step():
    assert "within 1 step:" in ended(1)[0].message


@pytest.mark.parametrize("limit", [50, 2_000])
def test_a_spinning_execution_ends_at_the_first_step_beyond_the_limit(limit):
    def spins():
        lock = threading.Lock()
        while True:
            with lock:
                pass

    outcome, steps = ended(limit, spins)
    assert (outcome.kind, steps) == ("step-limit", limit + 1)


def test_a_failing_thread_does_not_change_the_step_limit_of_the_others():
    # T1 fails at step 0, and the limit is 100 steps. The other threads may continue to step 100, even though lines are
    # monitored from step 0 on.
    engine = Engine(ThreadWorld(), KnownPoints(), step_limit=StepLimit(100))

    def fails():
        engine.fail(SimpleNamespace(label="T1"), ValueError("no"))
        limits.append(engine.limit)

    limits = []
    engine.run(fails, FunctionScheduler(Sequential().choose))
    assert limits == [100]
