"""CPython's `test.lock_tests`, run on the twins.

`test.test_threading` runs the same tests on the real primitives.
"""

from __future__ import annotations

import threading
from typing import Any

import pytest

lock_tests: Any = pytest.importorskip("test.lock_tests", reason="this Python has no `test` package")

from cpython_cases import make_case, parameters, run_case  # noqa: E402 -- only with the `test` package


def _bounded(*args, **kwargs):
    return threading.BoundedSemaphore(*args, **kwargs)


# These are the cases of CPython's test_threading. The lambdas look up the names during the execution, when those names
# refer to twins.
CASES = (
    make_case(lock_tests.LockTests, "Lock", locktype=lambda: threading.Lock()),
    make_case(lock_tests.RLockTests, "RLock", locktype=lambda: threading.RLock()),
    make_case(lock_tests.RLockTests, "CRLock", locktype=lambda: threading._CRLock()),
    make_case(lock_tests.RLockTests, "PyRLock", locktype=lambda: threading._PyRLock()),
    make_case(lock_tests.RLockTests, "ConditionAsRLock", locktype=lambda: threading.Condition()),
    make_case(lock_tests.EventTests, "Event", eventtype=lambda: threading.Event()),
    make_case(lock_tests.ConditionTests, "Condition", condtype=lambda *args: threading.Condition(*args)),
    make_case(lock_tests.SemaphoreTests, "Semaphore", semtype=lambda *a, **k: threading.Semaphore(*a, **k)),
    make_case(lock_tests.BoundedSemaphoreTests, "BoundedSemaphore", semtype=_bounded),
    make_case(lock_tests.BarrierTests, "Barrier", barriertype=lambda *a, **k: threading.Barrier(*a, **k)),
)

CANNOT_APPLY: dict[tuple[str, str], str] = {
    ("ConditionAsRLock", "test_recursion_count"): (
        "a Condition does not expose its lock's _recursion_count; test_threading skips this for real conditions too"
    )
}


# The number of random executions. Each search also runs two rehearsals first.
RANDOM = 4


@pytest.mark.parametrize(("case", "method"), parameters(CASES, CANNOT_APPLY))
def test_twins_pass_cpythons_lock_tests(case, method):
    result = run_case(case, method, executions=RANDOM)
    assert (result.outcome, result.executions) == ("passed", RANDOM)


PROBED = [
    ("Lock", "test_acquire_contended"),
    ("RLock", "test_different_thread"),
    ("Event", "test_set_and_clear"),
    ("Condition", "test_notify"),
    ("Condition", "test_waitfor"),
    ("Semaphore", "test_acquire_contended"),
    ("BoundedSemaphore", "test_multirelease"),
    ("Barrier", "test_abort_and_reset"),
]


@pytest.mark.parametrize(("name", "method"), PROBED)
def test_twins_pass_when_the_tests_are_instrumented(name, method):
    case = next(case for case in CASES if case.__name__ == name)
    result = run_case(case, method, executions=2, source=["test.lock_tests"])
    assert result.outcome == "passed"
    assert result.scheduling_points > run_case(case, method, executions=2).scheduling_points


@pytest.mark.parametrize(("name", "method"), [("Lock", "test_acquire_contended"), ("Barrier", "test_reset")])
def test_twins_pass_under_the_pct_scheduler(name, method):
    case = next(case for case in CASES if case.__name__ == name)
    assert run_case(case, method, executions=20, scheduler="pct").outcome == "passed"
