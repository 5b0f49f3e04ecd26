"""Threads that are thrown out of an execution write nothing; others complain as ever."""

import logging
import sys
from concurrent.futures import ThreadPoolExecutor

import raddle
from raddle.execute.quiet_teardown import silence


def test_a_pool_that_waits_for_itself(capfd):
    def scenario():
        pool = ThreadPoolExecutor(1)

        def outer():
            return pool.submit(lambda: 1).result()

        pool.submit(outer).result()

    result = raddle.explore(scenario, source=[__file__], executions=20)
    assert {finding.kind for finding in result.findings} == {"deadlock"}
    assert capfd.readouterr().err == ""


def test_everybody_else_is_heard(caplog):
    hook = sys.unraisablehook
    with silence():
        logging.getLogger("concurrent.futures").critical("heard")
        assert sys.unraisablehook is not hook
    assert sys.unraisablehook is hook
    assert [record.message for record in caplog.records] == ["heard"]


def test_a_hook_that_was_put_there_meanwhile_stays():
    hook = sys.unraisablehook
    try:
        with silence():
            sys.unraisablehook = mine = lambda args: None
        assert sys.unraisablehook is mine
    finally:
        sys.unraisablehook = hook
