"""The runner for CPython's test cases reports failures."""

from __future__ import annotations

import threading
import unittest

import pytest
from cpython_cases import make_case, parameters, run_case

import raddle


class _Sample:
    def setUp(self):
        self.lock = threading.Lock()

    def tearDown(self):
        assert not self.lock.locked(), "left locked"

    def test_passes(self):
        with self.lock:
            pass

    def test_fails(self):
        assert self.lock.locked(), "not locked"

    def test_fails_when_torn_down(self):
        self.lock.acquire()

    def test_fails_when_cleaned_up(self):
        self.addCleanup(self.fail, "in cleanup")

    def test_hangs(self):
        self.lock.acquire()
        self.lock.acquire()

    def test_skips(self):
        self.skipTest("not today")

    def test_fails_in_a_thread(self):
        thread = threading.Thread(target=self.fail)
        thread.start()
        thread.join()


CASES = (make_case(_Sample, "Sample"),)  # in a tuple, where pytest does not look for tests


def test_a_passing_method_passes():
    assert run_case(CASES[0], "test_passes", executions=2).outcome == "passed"


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("test_fails", "not locked"),
        ("test_fails_when_torn_down", "left locked"),
        ("test_fails_when_cleaned_up", "in cleanup"),
        ("test_hangs", "T0 waits for itself"),
        ("test_fails_in_a_thread", "in T1"),
    ],
)
def test_a_failing_method_raises_a_finding_error(method, message):
    with pytest.raises(raddle.FindingError, match=message):
        run_case(CASES[0], method, executions=2)


def test_a_skipping_method_skips():
    with pytest.raises(pytest.skip.Exception, match="not today"):
        run_case(CASES[0], "test_skips", executions=2)


def test_entries_must_name_existing_methods_and_are_strict_expected_failures():
    with pytest.raises(AssertionError, match="test_missing"):
        parameters(CASES, {("Sample", "test_missing"): "renamed"})
    marked = [p for p in parameters(CASES, {("Sample", "test_hangs"): "on purpose"}) if p.marks]
    assert [(p.id, p.marks[0].kwargs["strict"], p.marks[0].kwargs["reason"]) for p in marked] == [
        ("Sample-test_hangs", True, "on purpose")
    ]


def test_each_method_is_one_parameter_set():
    assert len(parameters(CASES, {})) == len(unittest.defaultTestLoader.getTestCaseNames(CASES[0])) == 7
