"""Errors that threads log are suppressed only if the threads belong to an execution that is being torn down."""

import logging
import sys
from concurrent.futures import ThreadPoolExecutor

import raddle
from raddle.execute.quiet_teardown import silence


def test_tearing_down_a_deadlocked_pool_writes_nothing_to_stderr(capfd):
    def scenario():
        pool = ThreadPoolExecutor(1)

        def outer():
            return pool.submit(lambda: 1).result()

        pool.submit(outer).result()

    result = raddle.explore(scenario, source=[__file__], executions=20)
    assert {finding.kind for finding in result.findings} == {"deadlock"}
    assert capfd.readouterr().err == ""


def test_log_records_of_other_threads_are_not_suppressed(caplog):
    hook = sys.unraisablehook
    with silence():
        logging.getLogger("concurrent.futures").critical("heard")
        assert sys.unraisablehook is not hook
    assert sys.unraisablehook is hook
    assert [record.message for record in caplog.records] == ["heard"]


def test_an_unraisable_hook_set_during_the_teardown_stays():
    hook = sys.unraisablehook
    try:
        with silence():
            sys.unraisablehook = mine = lambda args: None
        assert sys.unraisablehook is mine
    finally:
        sys.unraisablehook = hook
