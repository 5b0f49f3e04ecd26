"""The `raddle` marker: its options, their precedence, and the kinds of tests that it rejects."""

from __future__ import annotations

import pytest

pytest_plugins = "pytester"

COUNTS_CALLS = """
calls = []

{mark}
def test_counted():
    calls.append(1)
    together(int, int)  # with threads there are several schedules

def test_calls():
    print("calls:", len(calls))
"""
REHEARSALS = 2  # executions before the search


def test_the_body_is_executed_many_times(run):
    result = run(COUNTS_CALLS.format(mark="@pytest.mark.raddle(executions=20)"), "-s")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines([f"*calls: {20 + REHEARSALS}*", "raddle: 1 test explored, 20 executions, seed 1"])


def test_the_command_line_overrides_the_marker(run):
    mark = "@pytest.mark.raddle(executions=20, seed=5)"
    result = run(COUNTS_CALLS.format(mark=mark), "--raddle-executions=7", "--raddle-seed=9")
    result.stdout.fnmatch_lines(["raddle: 1 test explored, 7 executions, seed 9"])


def test_the_marker_overrides_the_projects_settings(run, pytester):
    pytester.makepyprojecttoml("[tool.raddle]\nexecutions = 30\nseed = 4\n")
    result = run(COUNTS_CALLS.format(mark="@pytest.mark.raddle(executions=20)"))
    result.stdout.fnmatch_lines(["raddle: 1 test explored, 20 executions, seed 4"])


def test_a_wrong_key_in_the_projects_settings_is_reported_without_a_traceback(run, pytester):
    pytester.makepyprojecttoml("[tool.raddle]\nexecution = 30\n")
    result = run(COUNTS_CALLS.format(mark="@pytest.mark.raddle"))
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["raddle: *has no key 'execution'; did you mean executions?"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_the_closest_marker_wins_for_each_option(run):
    result = run(
        """
pytestmark = pytest.mark.raddle(executions=20, seed=8)

@pytest.mark.raddle(executions=6)
def test_near():
    together(int, int)
"""
    )
    result.stdout.fnmatch_lines(["raddle: 1 test explored, 6 executions, seed 8"])


def test_methods_are_explored(run):
    result = run(
        """
class TestCounter:
    @pytest.mark.raddle
    def test_method(self):
        counter = Counter()
        together(counter.increment, counter.increment)
        assert counter.value == 2
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*T? is preempted here; its next step: counter.py:*", "replay: pytest test_it.py::TestCounter::*"]
    )


def test_parametrized_tests_are_explored_separately(run):
    result = run(
        """
@pytest.mark.raddle(executions=20)
@pytest.mark.parametrize("threads", [1, 2])
def test_many(threads):
    counter = Counter()
    together(*[counter.increment] * threads)
    assert counter.value == threads
"""
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["replay: pytest 'test_it.py::test_many[[]2]' --raddle-replay '*"])


def test_tests_are_instrumented_behind_their_decorators(run):
    result = run(
        """
from unittest import mock

@pytest.mark.raddle
@mock.patch("counter.pause")
def test_patched(pause):
    counter = Counter()
    together(counter.increment, counter.increment)
    assert pause.call_count == 2
    assert counter.value == 2
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["assertion in T0: AssertionError: assert 1 == 2*"])


def test_fixtures_are_set_up_once_for_all_executions(run):
    result = run(
        """
ups = []

@pytest.fixture
def number():
    ups.append(1)
    return 3

@pytest.mark.raddle(executions=5)
def test_number(number, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBER", str(number))
    assert number == 3
    assert tmp_path.is_dir()

def test_ups():
    assert ups == [1]
"""
    )
    result.assert_outcomes(passed=2)


def test_capturing_fixtures_start_empty_in_every_execution(run):
    result = run(
        """
import logging

@pytest.mark.raddle(executions=5)
def test_recorded(capsys, caplog):
    together(lambda: print("printed"), lambda: logging.warning("logged"))
    assert capsys.readouterr().out == "printed\\n"
    assert caplog.messages == ["logged"]
"""
    )
    result.assert_outcomes(passed=1)


def test_setup_is_called_before_every_execution(run):
    result = run(
        """
counter = Counter()

def reset():
    counter.value = 0

@pytest.mark.raddle(executions=5, setup=reset)
def test_global():
    counter.value += 1
    assert counter.value == 1
"""
    )
    result.assert_outcomes(passed=1)


def test_an_exception_from_setup_is_shown_without_frames_of_raddle(run):
    result = run(
        """
def broken():
    raise RuntimeError("not today")

@pytest.mark.raddle(setup=broken)
def test_it():
    pass
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *RuntimeError: not today", "test_it.py:*: RuntimeError"])
    result.stdout.no_fnmatch_line("*session.py*")


def test_state_that_survives_in_a_fixture_is_reported(run):
    result = run(
        """
@pytest.fixture
def counter():
    return Counter()

@pytest.mark.raddle
def test_shared(counter):
    together(counter.increment)
    assert counter.value == 1
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "divergence: state survives from one execution to the next*",
            "fixtures are set up once for all executions: *",
        ]
    )


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        (
            "raddle(execution=3)",
            "raddle: the marker has no option 'execution'; did you mean executions? (valid options: executions,*",
        ),
        ("raddle(3)", "raddle: the marker takes only keyword options, not 3 (valid options: executions, *"),
        ("raddle(setup='reset')", "raddle: the marker's setup must be a function, not 'reset'"),
    ],
)
def test_an_invalid_marker_is_an_error_of_its_test_only(run, mark, message):
    result = run(f"@pytest.mark.{mark}\ndef test_it(): pass\n\ndef test_other(): pass")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines([message])


def test_a_wrong_value_is_reported_without_a_traceback(run):
    result = run("@pytest.mark.raddle(scheduler='randon')\ndef test_it(): pass")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["raddle: there is no scheduler 'randon'; did you mean random?*"])
    result.stdout.no_fnmatch_line("*raddle_pytest.py*")
    result.stdout.no_fnmatch_line("*are hidden*")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("async def test_it(): pass", "raddle: the raddle marker does not apply to async tests*"),
        (
            "import unittest\nclass TestIt(unittest.TestCase):\n    def test_it(self): pass",
            "raddle: the raddle marker does not apply to methods of a unittest.TestCase; call raddle.check(scenario)*",
        ),
        (
            "from hypothesis import given, strategies\n@given(strategies.integers())\ndef test_it(n): pass",
            "raddle: the raddle marker does not apply to Hypothesis tests*",
        ),
    ],
    ids=["async", "unittest", "hypothesis"],
)
def test_tests_that_cannot_be_explored_are_errors(run, source, message):
    result = run(f"pytestmark = pytest.mark.raddle\n{source}")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])


@pytest.mark.parametrize("option", ["--raddle-executions=0", "--raddle-executions=x", "--raddle-seed=x"])
def test_a_wrong_option_is_a_usage_error(run, option):
    result = run(COUNTS_CALLS.format(mark="@pytest.mark.raddle"), option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    name = option.partition("=")[0]
    result.stderr.fnmatch_lines([f"*error: argument {name}: expected a whole number *"])


def test_a_random_seed_is_drawn_once_and_shown(run):
    source = "@pytest.mark.raddle(executions=3)\n@pytest.mark.parametrize('n', [1, 2])\ndef test_it(n): pass"
    result = run(source, "--raddle-seed=random")
    assert result.stdout.str().count(", seed ") == 1
    result.stdout.no_fnmatch_line("*seed 1")


def test_a_session_without_marked_tests_prints_no_summary(run):
    result = run("def test_plain(): pass")
    result.stdout.no_fnmatch_line("raddle:*")
