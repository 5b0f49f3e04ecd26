"""The report of a failed test shows its story and none of raddle's frames."""

from __future__ import annotations

import re

import pytest

pytest_plugins = "pytester"

LOST = """
@pytest.mark.raddle
def test_lost():
    counter = Counter()
    together(counter.increment, counter.increment)
    assert counter.value == 2
"""
DEADLOCK = """
@pytest.mark.raddle
def test_stuck():
    left, right = threading.Lock(), threading.Lock()

    def work(one, other):
        with one, other:
            pass

    together(lambda: work(left, right), lambda: work(right, left))
"""
CHECKED = """
import raddle

def scenario():
    counter = Counter()
    together(counter.increment, counter.increment)
    assert counter.value == 2

def test_checked():
    raddle.check(scenario)
"""


def test_a_failure_shows_the_story_the_traceback_and_the_command(run):
    result = run(LOST)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*___ test_lost ___*",
            "assertion in T0: AssertionError: assert 1 == 2 (can happen on this interpreter)",
            "  T0 *starts T1",
            "*reads Counter.value: 0",
            "  ----- T? is preempted here; its next step: counter.py:* -----",
            "*writes Counter.value: 1",
            ">       assert counter.value == 2",
            "E       assert 1 == 2",
            "test_it.py:9: AssertionError",
            "replay: pytest test_it.py::test_lost --raddle-replay 'T0; *.'",
            "FAILED test_it.py::test_lost - assertion in T0: *",
        ]
    )


@pytest.mark.parametrize("style", ["auto", "long", "short", "native"])
def test_no_report_has_frames_of_raddle(run, style):
    result = run(LOST + DEADLOCK + CHECKED, f"--tb={style}")
    result.assert_outcomes(failed=3)
    for file in ("raddle_pytest.py", "controller.py", "probes.py", "api.py", "greenlet"):
        result.stdout.no_fnmatch_line(f"*{file}*")


def test_rewritten_assertions_show_the_usual_details(run):
    result = run(
        """
def twice(number):
    return 2 * number

@pytest.mark.raddle
def test_values():
    counter = Counter()
    numbers = {"a": [1, 2]}
    together(counter.increment)
    assert twice(counter.value) == numbers["a"][0], "a message"
"""
    )
    result.stdout.fnmatch_lines(
        [
            "E       AssertionError: a message",
            "E       assert 2 == 1",
            "E        +  where 2 = twice(1)",
            "E        +    where 1 = <counter.Counter object at 0x*>.value",
        ]
    )
    result.stdout.no_fnmatch_line("*__raddle__*")
    result.stdout.no_fnmatch_line("*<function*")


def test_rewritten_assertions_are_the_same_with_and_without_probes(run):
    # A failing assertion must produce the same `E` lines in marked and unmarked tests, except for addresses.
    assertions = [
        "counter.value == 2",
        "counter.value in numbers",
        "len(numbers) == counter.value",
        "numbers == [3, counter.value]",
        "not numbers",
        "numbers[0] < counter.value",
        "isinstance(counter.value, str)",
        "all(n > 3 for n in numbers)",
        "counter.value and numbers[0] == 7",
        "threading.current_thread().name == 'x'",
        "numbers.index(4) == len([n for n in numbers if n])",
    ]
    tests = "".join(
        f"def test_{number}():\n"
        f"    counter = Counter()\n    numbers = [3, 4]\n    counter.increment()\n    assert {assertion}\n\n"
        for number, assertion in enumerate(assertions)
    )

    def error_lines(result):
        result.assert_outcomes(failed=len(assertions))
        return [re.sub("0x[0-9a-f]+", "0x", line) for line in result.outlines if line.startswith("E  ")]

    plain = error_lines(run(tests))
    assert len(plain) >= len(assertions)
    assert error_lines(run("pytestmark = pytest.mark.raddle\n" + tests)) == plain


def test_a_deadlock_report_names_the_waiting_threads(run):
    result = run(DEADLOCK)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "deadlock in T1: T1 waits for T2, which waits for T1 (can happen on this interpreter)",
            "  ----- T? is preempted here; its next step: test_it.py:* acquire -----",
            "T1 waits at * to acquire *held by T2*",
            "replay: pytest test_it.py::test_stuck --raddle-replay *",
        ]
    )


def test_a_failure_that_needs_a_free_threaded_build_is_labeled(run):
    result = run(LOST.replace("counter.increment", "counter.bare_increment"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["assertion in T0: *(only on free-threaded builds: *"])


def test_the_gil_switch_model_does_not_find_free_threaded_failures(run):
    source = LOST.replace("counter.increment", "counter.bare_increment")
    result = run(source.replace("mark.raddle", "mark.raddle(switches='gil', executions=100)"))
    result.assert_outcomes(passed=1)


def test_an_exception_in_a_thread_shows_the_traceback_of_that_thread(run):
    result = run(
        """
@pytest.mark.raddle
def test_thread():
    def work():
        raise LookupError("gone")
    together(work)
"""
    )
    result.stdout.fnmatch_lines(
        ["exception in T1: LookupError: gone*", ">*raise LookupError(*", "test_it.py:8: LookupError"]
    )
    result.stdout.no_fnmatch_line("*threading.py*")


def test_captured_output_is_that_of_the_failed_execution(run):
    result = run(
        """
import logging

@pytest.mark.raddle
def test_lost():
    print("printed")
    logging.warning("logged")
    counter = Counter()
    together(counter.increment, counter.increment)
    assert counter.value == 2
"""
    )
    assert result.outlines.count("printed") == 1
    assert sum("logged" in line and "WARNING" in line for line in result.outlines) == 1


def test_every_finding_is_listed(run):
    result = run(
        """
@pytest.mark.raddle(until="budget", executions=60)
def test_two():
    counter = Counter()

    def look():
        if counter.value:
            raise LookupError("early")

    together(look, counter.increment)
    assert not counter.value
"""
    )
    result.stdout.fnmatch_lines(
        [
            "assertion in T0: *",
            "also found: exception in T1: LookupError: early*",
            "  replay: pytest test_it.py::test_two --raddle-replay *",
        ]
    )


def test_option_tb_line_prints_one_line_per_failure(run):
    result = run(LOST + DEADLOCK + CHECKED, "--tb=line")
    result.stdout.fnmatch_lines(
        ["*test_it.py:9: assertion in T0: *", "*test_it.py:11: deadlock in T1: *", "*test_it.py:*: assertion in T0: *"]
    )
    result.stdout.no_fnmatch_line("*is preempted here*")


def test_verbose_output_says_why_each_exploration_stopped(run):
    result = run("@pytest.mark.raddle(executions=4)\ndef test_it(): together(int, int)", "-v")
    result.stdout.fnmatch_lines(["raddle: test_it.py::test_it: 4 executions; stopped: execution limit reached*"])


def test_verbose_output_says_that_a_search_is_exhausted(run):
    result = run("@pytest.mark.raddle\ndef test_it(): pass", "-v")
    result.stdout.fnmatch_lines(["raddle: test_it.py::test_it: 2 executions; exhausted: *no thread*"])


def test_check_in_a_plain_test_shows_the_story(run):
    result = run(CHECKED)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "assertion in T0: AssertionError: assert 1 == 2*",
            "  ----- T? is preempted here; its next step: counter.py:* -----",
            "replay: raddle.replay(scenario, *)",
            "test_it.py:*: FindingError",
        ]
    )
    result.stdout.no_fnmatch_line("E  *")
    result.stdout.no_fnmatch_line("raddle: *explored*")


NOTED = """
import raddle
from hypothesis import given, settings, strategies

def scenario():
    try:
        raise ValueError("no")
    except ValueError as error:
        error.add_note("the order was 66")
        raise

@pytest.mark.raddle
def test_marked():
    scenario()

@pytest.mark.raddle
def test_marked_in_a_thread():
    together(scenario)

def test_checked():
    raddle.check(scenario)

@settings(max_examples=5, derandomize=True, database=None, deadline=None)
@given(size=strategies.just(7))
def test_hypothesis(size):
    raddle.check(scenario)
"""


@pytest.mark.parametrize("style", ["auto", "native"])
def test_notes_of_exceptions_are_shown(run, style):
    result = run(NOTED, f"--tb={style}")
    result.assert_outcomes(failed=4)
    reports = re.split(r"^_+ (test_\w+) _+$", result.stdout.str(), flags=re.MULTILINE)
    sections = dict(zip(reports[1::2], reports[2::2], strict=True))
    assert len(sections) == 4
    for section in sections.values():
        assert len(re.findall(r"^\W*(E +)?the order was 66$", section, flags=re.MULTILINE)) == 1
    assert re.search(
        r"^Failing test case: test_hypothesis\(\n +size=7,\n\)$", sections["test_hypothesis"], re.MULTILINE
    )


def test_notes_of_other_findings_are_shown(run):
    result = run(
        """
@pytest.mark.raddle(until="budget", executions=60)
def test_two():
    counter = Counter()

    def look():
        if counter.value:
            error = LookupError("early")
            error.add_note("it looked early")
            raise error

    together(look, counter.increment)
    assert not counter.value
"""
    )
    result.stdout.fnmatch_lines(
        ["assertion in T0: *", "also found: exception in T1: *", "  it looked early", "  replay: pytest *"],
        consecutive=False,
    )


WITH_HYPOTHESIS = """
import dataclasses, attrs
from hypothesis import given, strategies

Pair = dataclasses.make_dataclass("Pair", [("one", int)], order=True)

@attrs.define
class Point:
    x: int = 0

@given(strategies.integers())
def test_hypothesis(n):
    pass

@pytest.mark.raddle(scheduler="exhaustive")
def test_neighbor():
    lock = threading.Lock()
    def work():
        with lock:
            pass
    together(work, work)
"""


def test_a_hypothesis_test_does_not_change_the_report_of_other_tests(run):
    result = run(WITH_HYPOTHESIS, "-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        ["raddle: *test_neighbor: *; exhausted: *no failure is possible within raddle's limits"]
    )


def test_an_unknown_story_length_is_rejected(run):
    source = """
@pytest.mark.raddle(scheduler="random", story="long")
def test_lost():
    pass
"""
    run(source).stdout.fnmatch_lines(["raddle: story must be 'short' or 'full', not 'long'"])
