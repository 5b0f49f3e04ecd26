"""That what runs CPython's tests would tell if one of them failed."""

from __future__ import annotations

import threading
import unittest

import pytest
from cpython_cases import conforms, make_case, parameters

import raddle


class _Sick:
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


CASES = (make_case(_Sick, "Sick"),)  # in a tuple, where pytest does not look for tests


def test_a_test_that_passes():
    assert conforms(CASES[0], "test_passes", executions=2).outcome == "passed"


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
def test_a_test_that_does_not(method, message):
    with pytest.raises(raddle.FindingError, match=message):
        conforms(CASES[0], method, executions=2)


def test_a_test_that_skips():
    with pytest.raises(pytest.skip.Exception, match="not today"):
        conforms(CASES[0], "test_skips", executions=2)


def test_entries_of_the_table_must_exist_and_must_fail():
    with pytest.raises(AssertionError, match="test_gone"):
        parameters(CASES, {("Sick", "test_gone"): "renamed"})
    marked = [p for p in parameters(CASES, {("Sick", "test_hangs"): "on purpose"}) if p.marks]
    assert [(p.id, p.marks[0].kwargs["strict"], p.marks[0].kwargs["reason"]) for p in marked] == [
        ("Sick-test_hangs", True, "on purpose")
    ]


def test_every_method_is_a_parameter_of_its_own():
    assert len(parameters(CASES, {})) == len(unittest.defaultTestLoader.getTestCaseNames(CASES[0])) == 7
