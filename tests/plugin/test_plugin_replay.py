"""--raddle-replay runs one schedule and reproduces the failure."""

from __future__ import annotations

import re
import shlex

import pytest

pytest_plugins = "pytester"

LOST = """
calls = []

@pytest.mark.raddle
def test_lost():
    calls.append(1)
    counter = Counter()
    together(counter.increment, counter.increment)
    assert counter.value == 2

def test_calls():
    print("calls:", len(calls))
"""


def printed_command(result):
    (line,) = (line for line in result.outlines if line.startswith("replay: "))
    return shlex.split(line.removeprefix("replay: "))


def headline(result):
    return next(line for line in result.outlines if line.startswith("assertion in T0"))


def test_the_printed_command_reproduces_the_failure(run):
    first = run(LOST)
    program, *arguments = printed_command(first)
    assert program == "pytest"
    second = run(None, *arguments)
    second.assert_outcomes(failed=1)
    assert headline(second) == headline(first)
    assert printed_command(second) == ["pytest", *arguments]
    second.stdout.fnmatch_lines(["raddle: 1 test was replayed"])


def test_a_replay_runs_the_test_once(run):
    result = run(LOST, "--raddle-replay=T0; T1; T2.", "-s")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*calls: 1*"])


def test_the_printed_command_is_relative_to_the_current_folder(run, pytester, monkeypatch):
    pytester.makeini("[pytest]")
    inner = pytester.mkdir("inner")
    run(LOST)  # creates the files
    monkeypatch.chdir(inner)
    result = run(None, "../test_it.py")
    assert printed_command(result)[1] == "../test_it.py::test_lost"


@pytest.mark.parametrize("schedule", ["", "T0; T1", "T0; nonsense.", "T0; T1 until counter.py:4 write value #0."])
def test_a_malformed_schedule_is_a_usage_error(run, schedule):
    result = run(LOST, f"--raddle-replay={schedule}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert re.search(r"^ERROR: --raddle-replay: .*schedule", result.stderr.str(), re.MULTILINE)
    assert "Traceback" not in result.stderr.str()


def test_a_schedule_that_does_not_fit_names_the_step(run):
    result = run(LOST, "--raddle-replay=T0; T1 until counter.py:99 write value.", "test_it.py::test_lost")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["raddle: the schedule does not fit this code: segment 2, *counter.py:99*"])
    for file in ("raddle_pytest.py", "exploration.py"):
        result.stdout.no_fnmatch_line(f"*{file}*")


def test_a_replay_without_marked_tests_is_reported(run):
    result = run("def test_plain(): pass", "--raddle-replay=T0.")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["raddle: no test with the raddle marker was replayed"])
