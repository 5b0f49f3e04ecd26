"""pytest's `skip`, `xfail`, `fail`, `exit` and `raises` work in marked tests as in any other test."""

from __future__ import annotations

pytest_plugins = "pytester"


def test_skip_skips(run):
    result = run("@pytest.mark.raddle\ndef test_it():\n    pytest.skip('not here')", "-rs")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED [[]1[]] test_it.py:6: not here"])


def test_unittest_skip_test_skips(run):
    result = run("import unittest\n@pytest.mark.raddle\ndef test_it():\n    raise unittest.SkipTest('not here')")
    result.assert_outcomes(skipped=1)


def test_skip_works_in_a_child_process(run):
    result = run("@pytest.mark.raddle(isolate='fork')\ndef test_it():\n    pytest.skip('not here')")
    result.assert_outcomes(skipped=1)


def test_a_skip_in_this_process_does_not_hide_a_failure_in_a_child(run):
    result = run(
        """
import os

parent = os.getpid()

@pytest.mark.raddle(isolate="fork")
def test_it():
    if os.getpid() == parent:
        pytest.skip("not here")
    raise ValueError("in the child")
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["exception in T0: ValueError: in the child*"])


def test_skip_in_another_thread_is_a_finding(run):
    # Without raddle, pytest does not skip the test either: an exception in a thread is not raised in the test.
    result = run("@pytest.mark.raddle\ndef test_it():\n    together(lambda: pytest.skip('not here'))")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["exception in T1: Skipped: not here*"])


def test_a_real_failure_is_not_hidden_by_a_skip(run):
    result = run(
        """
@pytest.mark.raddle(until="budget", executions=60)
def test_it():
    counter = Counter()
    def look():
        assert not counter.value
    together(look, counter.increment)
    pytest.skip("only this far")
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["assertion in T1: *"])


def test_xfail_is_reported_as_xfailed(run):
    result = run("@pytest.mark.raddle\ndef test_it():\n    pytest.xfail('known')", "-rx")
    result.assert_outcomes(xfailed=1)
    result.stdout.fnmatch_lines(["XFAIL test_it.py::test_it - *known"])


def test_an_xfail_marker_receives_the_original_exception(run):
    result = run(
        """
@pytest.mark.raddle
@pytest.mark.xfail(raises=ZeroDivisionError, strict=True)
def test_it():
    together(lambda: 1 / 0)

@pytest.mark.raddle
@pytest.mark.xfail(raises=ValueError, strict=True)
def test_other():
    1 / 0
"""
    )
    result.assert_outcomes(xfailed=1, failed=1)


def test_fail_shows_the_story(run):
    result = run(
        """
@pytest.mark.raddle
def test_it():
    counter = Counter()
    together(counter.increment, counter.increment)
    if counter.value != 2:
        pytest.fail("lost an update")
"""
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "exception in T0: Failed: lost an update *",
            "*is preempted here*",
            "E *Failed: lost an update",
            "replay: pytest *",
        ]
    )
    result.stdout.no_fnmatch_line("*outcomes.py*")


def test_exit_ends_the_session(run):
    result = run(
        "@pytest.mark.raddle\ndef test_it():\n    pytest.exit('enough', returncode=7)\n\ndef test_other(): pass"
    )
    assert result.ret == 7
    result.stdout.fnmatch_lines(["*Exit: enough*"])


def test_raises_works_in_a_marked_test(run):
    result = run(
        """
@pytest.mark.raddle(executions=5)
def test_it():
    with pytest.raises(ValueError, match="no") as caught:
        raise ValueError("no")
    assert caught.value.args == ("no",)
"""
    )
    result.assert_outcomes(passed=1)


def test_a_test_that_exits_python_fails(run):
    result = run("import sys\n@pytest.mark.raddle\ndef test_it():\n    sys.exit(3)")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["exception in T0: the scenario called sys.exit(3)*"])


UNPROBED = """
import unprobed_package

@pytest.mark.raddle
def test_passes():
    counter = Counter()
    together(lambda: unprobed_package.touch(counter), lambda: unprobed_package.touch(counter))
"""
MADE_BY_EXEC = """
namespace = {}
exec("def work(): pass", namespace)

@pytest.mark.raddle
def test_nothing():
    together(namespace["work"], namespace["work"])
"""


def test_an_uninstrumented_package_is_named_in_the_summary(run, pytester, tmp_path):
    (tmp_path / "unprobed_package.py").write_text("def touch(counter): counter.value += 1\n")
    pytester.makeconftest(f"import sys; sys.path.append({str(tmp_path)!r})")
    result = run(UNPROBED)
    result.assert_outcomes(passed=1)
    advice = "threads call unprobed_package, which is not instrumented: add --source unprobed_package"
    result.stdout.fnmatch_lines([f"raddle: test_it.py::test_passes: {advice}"])


def test_a_thread_with_code_that_cannot_be_instrumented_fails_the_test(run):
    result = run(MADE_BY_EXEC)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["raddle: nothing was tested: *work (run by a thread) cannot be instrumented*"])
