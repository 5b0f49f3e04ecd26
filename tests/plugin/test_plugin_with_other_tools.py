"""The plugin works with pytest-xdist, pytest-cov, --pdb, --lf, -x, JUnit files and Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

import processes

pytest_plugins = "pytester"

TWO_FAILURES = """
@pytest.mark.raddle(executions=50)
def test_lost():
    counter = Counter()
    together(counter.increment, counter.increment)
    assert counter.value == 2

@pytest.mark.raddle(executions=50)
def test_stuck():
    lock = threading.Lock()
    def work():
        lock.acquire()
    together(work, work)

@pytest.mark.raddle(executions=50)
def test_fine():
    together(lambda: None, lambda: None)
"""


def story(result):
    """Return the output lines about the tests, sorted and without addresses, so that two runs can be compared."""
    prefixes = ("assertion in", "deadlock in", "  T", "  -----", "replay: ", "E  ", "raddle: ")
    return sorted(line.partition(" at 0x")[0] for line in result.outlines if line.startswith(prefixes))


@pytest.fixture
def load(load_all):
    return load_all


def test_xdist_gives_the_same_results(run):
    sequential = run(TWO_FAILURES)
    distributed = run(TWO_FAILURES, "-n", "2")
    sequential.assert_outcomes(passed=1, failed=2)
    distributed.assert_outcomes(passed=1, failed=2)
    assert "raddle: 3 tests explored, " in distributed.stdout.str()
    assert story(distributed) == story(sequential)


def test_xdist_workers_share_a_random_seed(run):
    source = (
        "@pytest.mark.raddle(executions=3)\n@pytest.mark.parametrize('n', range(6))\ndef test_it(n): together(int, int)"
    )
    result = run(source, "-n", "2", "--raddle-seed=random")
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines(["raddle: 6 tests explored, 18 executions, seed *"])


# The threads switch between functions in two files. A tracer that does not distinguish the threads would attribute
# lines of one file, such as those of `never`, to the other file.
UPPER = """
    import lower

    def above(box):
        seen = box.value
        box.value = seen + 1
        lower.below(box)
        seen = box.value
        box.value = seen + 1
        return seen
"""
LOWER = """
    def below(box):
        seen = box.value
        box.value = seen + 1
        return more(box)

    def more(box):
        seen = box.value
        if seen == -1:
            return 0
        box.value = seen
        return 1

    def never():
        one = 1
        two = 2
        three = 3
        return one + two + three
"""
COVERED = """
import lower
import upper

{mark}
def test_covered():
    box = Counter()
    together(lambda: upper.above(box), lambda: lower.below(box), lambda: lower.more(box))

def test_after():
    assert upper.above(Counter()) == 2
"""


def covered_lines(run, pytester, mark):
    pytester.makepyfile(upper=UPPER, lower=LOWER)
    result = run(COVERED.format(mark=mark), "--cov=.", "--cov-report=json")
    result.assert_outcomes(passed=2)
    files = json.loads((pytester.path / "coverage.json").read_text())["files"]
    return {name: files[name]["executed_lines"] for name in ("upper.py", "lower.py", "counter.py", "test_it.py")}


def test_line_coverage_is_the_same_as_in_a_plain_run(run, pytester):
    plain = covered_lines(run, pytester, "@pytest.mark.usefixtures()")
    assert covered_lines(run, pytester, "@pytest.mark.raddle(executions=100)") == plain


def test_option_x_stops_after_the_first_failure(run):
    result = run(TWO_FAILURES, "-x")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*stopping after 1 failures*"])


def test_option_lf_reruns_the_failed_tests(run):
    run(TWO_FAILURES)
    result = run(None, "--lf")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["raddle: 2 tests explored, *"])


def test_pdb_stops_in_the_failed_test(run, pytester, load):
    run(TWO_FAILURES)  # creates the files
    completed = processes.run(
        [sys.executable, "-m", "pytest", *load, "-p", "no:randomly", "--pdb", "test_it.py::test_lost"],
        input="p 'value', counter.value\nc\n",
        capture_output=True,
        text=True,
        cwd=pytester.path,
    )
    assert "test_it.py(9)test_lost()" in completed.stdout
    assert "('value', 1)" in completed.stdout
    assert completed.returncode == 1


def test_a_junit_file_contains_the_headline_and_the_story(run, pytester):
    run(TWO_FAILURES, "--junitxml=out.xml")
    (failure,) = ElementTree.parse(pytester.path / "out.xml").findall(".//testcase[@name='test_stuck']/failure")
    assert failure.get("message", "").startswith("deadlock in T")
    assert "--raddle-replay" in (failure.text or "")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send SIGINT to a single process")
def test_ctrl_c_ends_the_session(pytester, run, load):
    source = """
import os

@pytest.mark.raddle(executions=None)
def test_endless():
    os.write(int(os.environ["READY"]), b"!")
    counter = Counter()
    together(counter.increment, counter.increment)

def test_other(): pass
"""
    run(source, "--collect-only")  # creates the files
    command = [sys.executable, "-m", "pytest", *load, "-p", "no:randomly", "test_it.py"]
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with processes.ready(command, cwd=pytester.path, **output) as process:
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=processes.HANG_SECONDS)
    assert process.returncode == pytest.ExitCode.INTERRUPTED
    assert "! KeyboardInterrupt !" in out
    assert "Traceback" not in out


def test_exploration_works_while_other_threads_run(run):
    result = run(
        """
@pytest.fixture(autouse=True)
def busy():
    stop = threading.Event()
    turns = []
    def work():
        while not stop.wait(0.001):
            turns.append(1)
    thread = threading.Thread(target=work)
    thread.start()
    yield
    stop.set()
    thread.join()
    assert turns

@pytest.mark.raddle(executions=50)
def test_fine():
    lock = threading.Lock()
    counter = Counter()
    def work():
        with lock:
            counter.increment()
    together(work, work)
    assert counter.value == 2
"""
    )
    result.assert_outcomes(passed=1)
