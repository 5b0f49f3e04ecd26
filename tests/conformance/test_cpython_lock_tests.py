"""CPython's `test.lock_tests`, which `test.test_threading` runs on the real primitives, run on the twins."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest

lock_tests: Any = pytest.importorskip("test.lock_tests", reason="this Python comes without its `test` package")

from cpython_cases import conforms, make_case, parameters  # noqa: E402 -- only with the `test` package


# As test_threading makes them, but the names are looked up under control: that is when they are the twins'.
CASES = (
    make_case(lock_tests.LockTests, "Lock", locktype=lambda: threading.Lock()),
    make_case(lock_tests.RLockTests, "RLock", locktype=lambda: threading.RLock()),
    make_case(lock_tests.RLockTests, "CRLock", locktype=lambda: threading._CRLock()),
    make_case(lock_tests.RLockTests, "PyRLock", locktype=lambda: threading._PyRLock()),
    make_case(lock_tests.RLockTests, "ConditionAsRLock", locktype=lambda: threading.Condition()),
    make_case(lock_tests.EventTests, "Event", eventtype=lambda: threading.Event()),
    make_case(lock_tests.ConditionTests, "Condition", condtype=lambda *args: threading.Condition(*args)),
    make_case(lock_tests.SemaphoreTests, "Semaphore", semtype=lambda *a, **k: threading.Semaphore(*a, **k)),
    make_case(
        lock_tests.BoundedSemaphoreTests, "BoundedSemaphore", semtype=lambda *a, **k: threading.BoundedSemaphore(*a, **k)
    ),
    make_case(lock_tests.BarrierTests, "Barrier", barriertype=lambda *a, **k: threading.Barrier(*a, **k)),
)

CANNOT_APPLY: dict[tuple[str, str], str] = {}
if sys.version_info >= (3, 11):
    CANNOT_APPLY["ConditionAsRLock", "test_recursion_count"] = (
        "a Condition does not pass its lock's _recursion_count on: test_threading skips it for real ones, too"
    )


@pytest.mark.parametrize(("case", "method"), parameters(CASES, CANNOT_APPLY))
def test_conforms(case, method):
    result = conforms(case, method, executions=3)
    assert result.outcome == "passed"
    assert result.executions == 3
