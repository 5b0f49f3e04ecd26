"""CPython's `test.test_queue`, run on the twins."""

from __future__ import annotations

import queue
import sys
from typing import Any

import pytest

test_queue: Any = pytest.importorskip("test.test_queue", reason="this Python comes without its `test` package")

from cpython_cases import conforms, make_case, parameters  # noqa: E402 -- only with the `test` package

# CPython tests two copies of the module that only its tests know, with and without `_queue`. Those show here
# that the standard library's code runs right on the twins of locks; the others, that the twins of queues do.
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
def _known_module(monkeypatch):
    """CPython's tests hide their copies of the module; raddle looks for what to replace in `sys.modules`."""
    monkeypatch.setitem(sys.modules, "queue_without_c", test_queue.py_queue)


@pytest.fixture(autouse=True)
def _no_collection(monkeypatch):
    """Asked for after every item, for interpreters that do not count references."""
    monkeypatch.setattr(test_queue, "gc_collect", lambda: None)


@pytest.fixture(autouse=True)
def _fewer_items(request, monkeypatch):
    """As many threads, but not the tens of thousands of items that wait for something to happen by chance."""
    if "-test_many_threads" in request.node.name:
        monkeypatch.setattr(test_queue, "range", lambda stop: range(min(stop, 120)), raising=False)
    elif "in_many_threads" in request.node.name:
        mixin = test_queue.BaseQueueTestMixin
        write = mixin._write_msg_thread

        def write_less(self, q, count, results, shut_down_at, *args):
            write(self, q, count // 1024, results, shut_down_at // 1024, *args)

        monkeypatch.setattr(mixin, "_write_msg_thread", write_less)


# Two watched executions without preemption come first in every search; then so many at random.
RANDOM = 2


# Only the twins are tested here; that nothing else is watched is intended.
@pytest.mark.filterwarnings("ignore::raddle.errors.UnwatchedWarning")
@pytest.mark.parametrize(("case", "method"), parameters(CASES, CANNOT_APPLY))
def test_conforms(case, method):
    result = conforms(case, method, executions=RANDOM)
    assert (result.outcome, result.executions) == ("passed", RANDOM)


@pytest.mark.parametrize(("name", "method"), [("Queue", "test_basic"), ("SimpleQueue", "test_order")])
def test_conforms_when_the_tests_themselves_are_probed(name, method):
    case = next(case for case in CASES if case.__name__ == name)
    assert conforms(case, method, executions=2, source=["test.test_queue"]).outcome == "passed"
