"""CPython's `test.test_queue`, run on the twins."""

from __future__ import annotations

import queue
import sys
from typing import Any

import pytest

test_queue: Any = pytest.importorskip("test.test_queue", reason="this Python has no `test` package")

from cpython_cases import make_case, parameters, run_case  # noqa: E402 -- only with the `test` package

# The first five cases test the twins of queues. The other cases use a copy of `queue` that CPython's tests import
# without the C module `_queue`. Those cases show that the standard library's code runs correctly on the twins of locks.
CASES = (
    make_case(test_queue.QueueTest, "Queue", queue=queue),
    make_case(test_queue.LifoQueueTest, "LifoQueue", queue=queue),
    make_case(test_queue.PriorityQueueTest, "PriorityQueue", queue=queue),
    make_case(test_queue.FailingQueueTest, "FailingQueue", queue=queue),
    make_case(test_queue.CSimpleQueueTest, "SimpleQueue", queue=queue),
    make_case(test_queue.PyQueueTest, "PyQueue"),
    make_case(test_queue.PyLifoQueueTest, "PyLifoQueue"),
    make_case(test_queue.PyPriorityQueueTest, "PyPriorityQueue"),
    make_case(test_queue.PyFailingQueueTest, "PyFailingQueue"),
    make_case(test_queue.PySimpleQueueTest, "PySimpleQueue"),
)

CANNOT_APPLY: dict[tuple[str, str], str] = {}
if hasattr(test_queue.CSimpleQueueTest, "test_simplequeue_sizeof"):  # new in 3.15
    CANNOT_APPLY["SimpleQueue", "test_simplequeue_sizeof"] = (
        "a twin is a Python object that refers to a real queue, so its size differs"
    )


@pytest.fixture(autouse=True)
def _listed_module(monkeypatch):
    """Add the tests' private copy of `queue` to `sys.modules`, where raddle looks for names to patch."""
    monkeypatch.setitem(sys.modules, "queue_without_c", test_queue.py_queue)


@pytest.fixture(autouse=True)
def _no_collection(monkeypatch):
    """Skip the garbage collection after every item, because only interpreters without reference counting need it."""
    monkeypatch.setattr(test_queue, "gc_collect", lambda: None)


@pytest.fixture(autouse=True)
def _fewer_items(request, monkeypatch):
    """Use fewer items than CPython's tests, which need tens of thousands to provoke rare interleavings."""
    if "-test_many_threads" in request.node.name:
        monkeypatch.setattr(test_queue, "range", lambda stop: range(min(stop, 120)), raising=False)
    elif "in_many_threads" in request.node.name:
        mixin = test_queue.BaseQueueTestMixin
        write = mixin._write_msg_thread

        def write_fewer(self, q, count, results, shut_down_at, *args):
            write(self, q, count // 1024, results, shut_down_at // 1024, *args)

        monkeypatch.setattr(mixin, "_write_msg_thread", write_fewer)


# The number of random executions. Each search also runs two rehearsals first.
RANDOM = 2


# Only the twins are tested, so it is fine that no code is instrumented.
@pytest.mark.filterwarnings("ignore::raddle.errors.UnwatchedWarning")
@pytest.mark.parametrize(("case", "method"), parameters(CASES, CANNOT_APPLY))
def test_twins_pass_cpythons_queue_tests(case, method):
    result = run_case(case, method, executions=RANDOM)
    assert (result.outcome, result.executions) == ("passed", RANDOM)


@pytest.mark.parametrize(("name", "method"), [("Queue", "test_basic"), ("SimpleQueue", "test_order")])
def test_twins_pass_when_the_tests_are_instrumented(name, method):
    case = next(case for case in CASES if case.__name__ == name)
    assert run_case(case, method, executions=2, source=["test.test_queue"]).outcome == "passed"
