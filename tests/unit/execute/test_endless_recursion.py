"""Programs that recurse without end are executed and recorded like any others."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress

import pytest

import raddle
from raddle.execute.thread_installation import Threads
from raddle.exploring.workbench import Workbench
from raddle.instrument import Selection
from raddle.schedulers.sequential import Sequential


@pytest.fixture(autouse=True)
def _small_stack() -> Iterator[None]:
    """Lower the recursion limit, so that executions are short."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(400)
    yield
    sys.setrecursionlimit(limit)


class Nested:
    def __init__(self):
        self.calls = 0

    def call(self):
        self.calls += 1
        return self.call()


def in_two_threads(body):
    threads = [threading.Thread(target=body) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def recursive():
    in_two_threads(Nested().call)


def recursive_and_caught():
    nested = Nested()

    def call():
        with suppress(RecursionError):
            nested.call()

    in_two_threads(call)


def test_endless_recursion_is_a_finding_with_a_schedule():
    result = raddle.explore(recursive, source=[__file__], executions=2, shrink=False)
    (finding,) = result.findings
    assert (finding.kind, type(finding.error)) == ("exception", RecursionError)
    assert finding.schedule is not None


def test_a_program_that_catches_the_error_continues():
    result = raddle.explore(recursive_and_caught, source=[__file__], executions=2, criteria="sync,map", until="budget")
    assert (result.executions, result.findings) == (2, ())


class Deep(Sequential):
    """Needs much stack for its decisions."""

    def choose(self, enabled, current):
        _descend(100)
        return super().choose(enabled, current)


def _descend(depth):
    if depth:
        _descend(depth - 1)


def napping():
    def nap():
        time.sleep(0)
        nap()

    in_two_threads(nap)


def test_recursion_that_leaves_no_stack_for_the_scheduler_is_a_failure_of_the_program():
    # Each sleep is a scheduling point at which both threads are enabled. The recursion limit is 400, so a decision is
    # made with fewer than 100 free frames before the program itself reaches the limit.
    with Workbench(Threads(Selection(root="/nowhere"))) as workbench, workbench.session(napping) as session:
        scheduler = Deep()
        scheduler.begin(1, session.known_points.version)
        outcome = session.run_for(scheduler).outcome
    assert (outcome.kind, type(outcome.error)) == ("exception", RecursionError)
