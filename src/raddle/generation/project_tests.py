"""Runs the tests of a project, and notes why some of them could not be run."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import unittest
from dataclasses import dataclass
from typing import Any

_NOT_RUN = (3, 4)  # exit codes of pytest: internal error and usage error, such as a conftest.py that fails


@dataclass(frozen=True, slots=True)
class TestReport:
    """How many tests were run, and why others were not."""

    __test__ = False  # pytest must not collect this class

    count: int = 0
    problems: tuple[str, ...] = ()  # a clause for each file or process that failed
    timed_out: bool = False

    def to_json(self) -> list[Any]:
        """Return the report as a list of values that `TestReport` accepts."""
        return [self.count, list(self.problems), self.timed_out]

    @classmethod
    def from_json(cls, data: list[Any]) -> TestReport:
        """Return the report that `to_json` has stored.

        >>> report = TestReport(2, ("test_a.py could not be imported",))
        >>> TestReport.from_json(report.to_json()) == report
        True
        """
        count, problems, timed_out = data
        return cls(count, tuple(problems), timed_out)


class ProjectTests:
    """Runs tests with pytest if it is installed, or else with unittest."""

    def __init__(self) -> None:
        self._count = 0
        self._problems: list[str] = []

    def report(self, *, timed_out: bool) -> TestReport:
        """Return what has happened so far."""
        return TestReport(self._count, tuple(self._problems), timed_out)

    def run(self, tests: str) -> None:
        """Run the tests in a file or folder."""
        if importlib.util.find_spec("pytest") is not None:
            self._run_pytest(tests)
        else:
            self._run_unittest(tests)

    def _run_pytest(self, tests: str) -> None:
        import pytest

        # Without the project's options, no plugin writes a coverage file or starts other processes.
        options = ["-q", "-o", "addopts=", "-p", "no:cacheprovider", "-p", "no:raddle", "-p", "no:randomly"]
        with contextlib.redirect_stderr(io.StringIO()) as text:
            code = pytest.main([tests, "--continue-on-collection-errors", *options], plugins=[self])
        if code in _NOT_RUN and not self._problems:
            lines = [line for line in text.getvalue().splitlines() if line.strip()]
            # The first line says what failed, and the last one why.
            parts = dict.fromkeys(line.removeprefix("E ").strip().rstrip(".:") for line in (*lines[:1], *lines[-1:]))
            self._problems.append(f"pytest cannot run them: {': '.join(parts)}")

    def pytest_runtest_logstart(self) -> None:
        """Count a test that pytest starts."""
        self._count += 1

    def pytest_exception_interact(self, call: Any, report: Any) -> None:
        """Note the exception of a file that pytest cannot import."""
        import pytest

        if isinstance(report, pytest.CollectReport):
            raised = call.excinfo.value
            error = raised.__cause__ or raised  # pytest raises an exception of its own from the original one
            first = str(error).strip().partition("\n")[0]
            self._problems.append(f"{report.nodeid} could not be imported: {type(error).__name__}: {first}")

    def _run_unittest(self, tests: str) -> None:
        folder = tests if os.path.isdir(tests) else os.path.dirname(tests) or "."
        pattern = "test*.py" if os.path.isdir(tests) else os.path.basename(tests)
        loader = unittest.TestLoader()
        suite = loader.discover(folder, pattern)
        for text in map(str, loader.errors):  # a sentence that ends with the name of the module, and a traceback
            first, *_, last = text.strip().splitlines()
            self._problems.append(f"{first.rpartition(' ')[2]} could not be imported: {last}")
        result = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
        self._count = result.testsRun - len(self._problems)
