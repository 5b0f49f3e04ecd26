"""The plugin is registered with pytest, but it imports raddle only when a marked test runs."""

from __future__ import annotations

import pytest

pytest_plugins = "pytester"


@pytest.fixture
def load(load_all):
    return load_all


SHOWS_MODULES = """
    import sys

    def pytest_sessionfinish():
        print("\\nloaded:", sorted(m for m in sys.modules if m.split(".")[0] in ("raddle", "greenlet")))
"""
MARKED = """
@pytest.mark.raddle(executions=3)
def test_marked():
    pass
"""


def test_loading_imports_nothing_of_raddle(run, pytester):
    pytester.makeconftest(SHOWS_MODULES)
    result = run("def test_plain(): pass", "-s")
    result.stdout.fnmatch_lines(["loaded: []"])


def test_collecting_a_marked_test_imports_nothing_of_raddle(run, pytester):
    pytester.makeconftest(SHOWS_MODULES)
    result = run(MARKED, "-s", "--collect-only")
    result.stdout.fnmatch_lines(["*test_marked*", "loaded: []"])


def test_running_a_marked_test_imports_raddle(run, pytester):
    pytester.makeconftest(SHOWS_MODULES)
    result = run(MARKED, "-s")
    result.stdout.fnmatch_lines(["loaded: *'raddle.api'*"])


def test_the_marker_is_registered(run):
    result = run(MARKED, "--strict-markers", "-W", "error")
    result.assert_outcomes(passed=1)


def test_the_marker_has_a_description(run):
    result = run(MARKED, "--markers")
    result.stdout.fnmatch_lines(["@pytest.mark.raddle(executions=1000, seed=1, ...): explore *"])


def test_the_options_have_help_texts(run):
    result = run(MARKED, "--help")
    result.stdout.fnmatch_lines(["*--raddle-executions=N*", "*--raddle-seed=N|random*", "*--raddle-replay=SCHEDULE*"])


def test_the_plugin_can_be_disabled(run, is_installed):
    if not is_installed:
        pytest.skip("raddle is not installed here, so pytest does not know the plugin by its name")
    result = run(
        """
calls = []

@pytest.mark.raddle
def test_runs_once():
    calls.append(1)
    assert len(calls) == 1
""",
        "-p",
        "no:raddle",
    )
    result.assert_outcomes(passed=1, warnings=1)  # without the plugin, the marker is unknown
    result.stdout.no_fnmatch_line("raddle: *")


def test_a_mark_registered_by_the_project_works_without_the_plugin(run, pytester):
    pytester.makeini("[pytest]\nmarkers =\n    raddle: explore the interleavings of the test\n")
    test = "@pytest.mark.raddle\ndef test_marked():\n    pass\n"
    run(test, "-p", "no:raddle", "-W", "error", "--strict-markers").assert_outcomes(passed=1)
    run(test, "-W", "error", "--strict-markers").assert_outcomes(passed=1)
