"""Runs checkers on instrumented classes, for the tests of linearizability."""

from __future__ import annotations

from contextlib import contextmanager

from raddle.execute.thread_installation import Threads
from raddle.exploring.workbench import Workbench
from raddle.instrument import Selection
from raddle.linearizability.checker import Checker
from raddle.linearizability.concurrent_calls import ConcurrentCalls


@contextmanager
def checker(setup, *threads, observe=(), **options):
    """Return an entered checker for the calls."""
    calls = ConcurrentCalls(setup, threads, observe)
    selection = Selection(sources=("shared_objects",))
    with Workbench(Threads(selection)) as workbench, Checker(workbench, calls, **options) as entered:
        yield entered


def values(history):
    """Return what the calls of a history returned, with the names of exceptions and of other endings."""
    return tuple(
        tuple(ending.value if ending.value is not None else str(ending.kind) for ending in thread)
        for thread in history.threads
    )
