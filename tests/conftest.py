"""Fixtures and markers for all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from processes import default_signals, no_child_is_left, no_descendant_is_left  # noqa: F401 -- fixtures for every test

# Tests that start many processes, run other projects' test suites, or compare computations with brute force thousands
# of times. They run only on the reference interpreter, so that testing all interpreters takes only a few minutes. On
# all other interpreters, `make test` runs pytest with `-m "not slow"`.
SLOW = (
    "tests/counts/",
    "tests/determinism/",
    "tests/differential/test_coverage_oracle.py",
    "tests/differential/test_message_orders.py",
    "tests/differential/test_never_a_false_pass.py",
    "tests/docs/test_documentation.py",
    "tests/docs/test_formats_page.py",
    "tests/docs/test_pages.py",
    "tests/html/",
    "tests/lab/",
    "tests/plugin/test_plugin_in_a_run.py",
    "tests/plugin/test_plugin_loading.py",
    "tests/plugin/test_plugin_marker.py",
    "tests/plugin/test_plugin_with_other_tools.py",
    "tests/plugin/test_plugin_outcomes.py",
    "tests/plugin/test_plugin_replay.py",
    "tests/plugin/test_plugin_reports.py",
    "tests/programs/test_programs.py::test_a_failure_is_reproduced_by_its_schedule",
    "tests/same_meaning/test_packages.py",
    "tests/same_meaning/test_standard_library.py",
    "tests/unit/analysis/",
    "tests/unit/benchmarks/",
    "tests/unit/checks/",
    "tests/unit/cli/",
    "tests/unit/criteria/",
    "tests/unit/execute/",
    "tests/unit/generation/test_export.py",
    "tests/unit/generation/test_from_failure_to_file.py",
    "tests/unit/generation/test_supervision.py",
    "tests/unit/generation/test_verification.py",
    "tests/unit/guide/",
    "tests/unit/html/",
    "tests/unit/native/test_native_children.py",
    "tests/unit/native/test_native_command.py",
    "tests/unit/native/test_native_conformance.py",
    "tests/unit/native/test_native_process_group.py",
    "tests/unit/native/test_native_forgetting.py",
    "tests/unit/native/test_native_programs.py",
    "tests/unit/native/test_native_tracebacks.py",
    "tests/unit/report/",
    "tests/unit/schedulers/",
    "tests/unit/store/",
)


# Tests that `make test` leaves out, so that it finishes within a few minutes. `make test-all` runs them.
LONG = (
    "tests/counts/test_reachability_explore.py",
    "tests/lab/test_lab_commands.py",
    "tests/lab/test_lab_mutants.py",
    "tests/lab/test_lab_page.py::test_the_page_shows_the_output_of_a_slow_command",
    "tests/lab/test_lab_page.py::test_runs_with_noise_have_consistent_tables",
    "tests/lab/test_sctbench_programs.py",
    "tests/plugin/test_plugin_with_other_tools.py",
    "tests/same_meaning/test_packages.py",
    "tests/same_meaning/test_standard_library.py::test_cpythons_tests_have_the_same_outcomes_with_probes",
    "tests/unit/cli/test_cli_search.py",
    "tests/unit/execute/test_isolated.py::test_a_search_finds_a_crash_with_its_schedule_and_other_failures",
    "tests/unit/guide/test_search_runs.py",
    "tests/unit/guide/test_shrink.py::test_programs",
    "tests/unit/guide/test_shrink_options.py::test_findings_are_shrunk_only_if_the_option_is_on[fork]",
    "tests/unit/guide/test_workers.py",
)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip files whose tests are all deselected, because importing them takes longer than running many tests."""
    expression = config.getoption("markexpr")
    deselected = (*(SLOW if "not slow" in expression else ()), *(LONG if "not long" in expression else ()))
    path = collection_path.relative_to(config.rootpath).as_posix() + "/" * collection_path.is_dir()
    return True if path.startswith(deselected) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
        if item.nodeid.startswith(LONG):
            item.add_marker(pytest.mark.long)
