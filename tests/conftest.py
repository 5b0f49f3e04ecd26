"""What all tests share."""

from __future__ import annotations

import pytest

# Tests that start many processes, or run the suites of others: on the reference interpreter only, so that all
# interpreters together stay within minutes. `make test` runs everything there and `-m "not slow"` on the rest.
SLOW = (
    "tests/plugin/test_plugin_marker.py",
    "tests/plugin/test_plugin_neighbours.py",
    "tests/plugin/test_plugin_outcomes.py",
    "tests/plugin/test_plugin_reports.py",
    "tests/same_meaning/test_packages.py",
    "tests/same_meaning/test_standard_library.py",
    "tests/unit/cli/test_commands.py::test_bad_input",
    "tests/unit/cli/test_commands.py::test_ctrl_c",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
