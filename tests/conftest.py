"""What all tests share."""

from __future__ import annotations

import pytest

# Tests that start many processes, run the suites of others, or compare pure computations with brute force
# thousands of times: on the reference interpreter only, so that all interpreters together stay within minutes.
# `make test` runs everything there and `-m "not slow"` on the rest.
SLOW = (
    "tests/lab/",
    "tests/plugin/test_plugin_marker.py",
    "tests/plugin/test_plugin_neighbours.py",
    "tests/plugin/test_plugin_outcomes.py",
    "tests/plugin/test_plugin_reports.py",
    "tests/same_meaning/test_packages.py",
    "tests/same_meaning/test_standard_library.py",
    "tests/unit/analysis/",
    "tests/unit/cli/",
    "tests/unit/criteria/",
    "tests/unit/guide/",
    "tests/unit/native/test_native_children.py",
    "tests/unit/native/test_native_command.py",
    "tests/unit/native/test_native_conformance.py",
    "tests/unit/native/test_native_programs.py",
    "tests/unit/report/",
    "tests/unit/schedulers/test_reachability",
    "tests/unit/store/",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
