"""Runs test modules of the standard library with or without probes, and prints each test's outcome as JSON.

`python run_unittest.py (plain|probed|recorded) test.test_dict test.test_with ...`

`probed` uses the plain probes. `recorded` attaches probes that keep a log.
"""

from __future__ import annotations

import collections
import contextlib
import importlib
import io
import json
import sys
import unittest
import warnings
from collections.abc import Callable
from typing import Any

from raddle import probe
from raddle.instrument import install_hook
from raddle.site import SiteTable

_Error = Any  # sys.exc_info()


class Outcomes(unittest.TestResult):
    """Collects the outcome of each test by name."""

    def __init__(self) -> None:
        super().__init__()
        self.by_name: dict[str, str] = {}

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        self.by_name.setdefault(test.id(), "ok")

    def addError(self, test: unittest.TestCase, err: _Error) -> None:  # noqa: N802 - unittest's name
        self.by_name[test.id()] = f"error: {err[0].__name__}: {err[1]}"

    def addFailure(self, test: unittest.TestCase, err: _Error) -> None:  # noqa: N802 - unittest's name
        self.by_name[test.id()] = f"failure: {err[1]}"

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802 - unittest's name
        self.by_name[test.id()] = "skipped"

    def addExpectedFailure(self, test: unittest.TestCase, err: _Error) -> None:  # noqa: N802 - unittest's name
        self.by_name[test.id()] = "expected failure"

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: _Error) -> None:  # noqa: N802
        if err is not None:
            self.by_name[subtest.id()] = f"failure: {err[1]}"


def record() -> None:
    """Attach probes that behave like the plain ones and keep a log."""
    # The log is a deque with a maximum length, so its size need not be checked with `len`, which one of the tests
    # replaces.
    log: collections.deque[tuple[str, object]] = collections.deque(maxlen=1000)

    def recording(name: str) -> Callable[..., object]:
        plain = probe.PLAIN[name]

        def logged(*arguments: object) -> object:
            log.append((name, arguments[-1:]))  # only the site, so that no other argument is kept alive
            return plain(*arguments)

        return logged

    probe.attach({name: recording(name) for name in probe.PLAIN})


def main(mode: str, *names: str) -> None:
    if mode != "plain":
        install_hook(lambda name, path: name in names, SiteTable())
    if mode == "recorded":
        record()
    warnings.simplefilter("ignore")
    results: dict[str, str] = {}
    for name in names:
        outcomes = Outcomes()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            module = importlib.import_module(name)
            unittest.defaultTestLoader.loadTestsFromModule(module).run(outcomes)
        if mode != "plain":
            assert module.__raddle__ is probe
        results |= outcomes.by_name
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
