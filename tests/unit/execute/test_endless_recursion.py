"""Programs that recurse without end are executed and recorded like any others."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

import raddle


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
