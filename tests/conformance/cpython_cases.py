"""Runs the methods of CPython's own test cases as scenarios, one method at a time."""

from __future__ import annotations

import unittest
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any
from unittest import mock

import pytest

import raddle

support: Any = pytest.importorskip("test.support", reason="this Python has no `test` package")

UNRELATED_SOURCE = ["colorsys"]  # the twins provide the scheduling points, so CPython's code needs no probes


def make_case(base: type, name: str, **attributes: Any) -> type[unittest.TestCase]:
    """Return a subclass of one of CPython's test cases, with the types under test as class attributes.

    pytest does not collect the subclass itself. Other tests are parametrized with its methods.
    """
    for key, value in attributes.items():
        if isinstance(value, FunctionType):
            attributes[key] = staticmethod(value)
    bases = (base,) if issubclass(base, unittest.TestCase) else (base, unittest.TestCase)
    return type(name, bases, attributes)


def methods_of(*cases: type[unittest.TestCase]) -> Iterator[tuple[type[unittest.TestCase], str]]:
    """Yield a (class, method name) pair for each test method."""
    for case in cases:
        for method in unittest.defaultTestLoader.getTestCaseNames(case):
            yield case, method


def parameters(cases: tuple[type[unittest.TestCase], ...], cannot_apply: dict[tuple[str, str], str]) -> list[Any]:
    """Return one parameter set per method.

    Methods in `cannot_apply` are marked as strict expected failures, so a method that passes after all is reported as a
    failure.
    """
    found = list(methods_of(*cases))
    unknown = cannot_apply.keys() - {(case.__name__, method) for case, method in found}
    assert not unknown, f"entries for methods that do not exist: {sorted(unknown)}"
    return [
        pytest.param(
            case,
            method,
            id=f"{case.__name__}-{method}",
            marks=[
                pytest.mark.xfail(strict=True, raises=raddle.FindingError, reason=cannot_apply[case.__name__, method])
            ]
            if (case.__name__, method) in cannot_apply
            else [],
        )
        for case, method in found
    ]


def scenario_of(case: type[unittest.TestCase], method: str) -> Callable[[], None]:
    """Return a scenario that runs the test method and propagates its exceptions."""

    def scenario() -> None:
        test = case(method)
        try:
            test.setUp()
            try:
                getattr(test, method)()
            finally:
                test.tearDown()
        finally:
            while test._cleanups:  # doCleanups would swallow the exceptions of cleanup functions
                function, args, kwargs = test._cleanups.pop()
                function(*args, **kwargs)

    return scenario


def run_case(case: type[unittest.TestCase], method: str, **options: Any) -> raddle.Result:
    """Run one test method as a scenario, in controlled executions.

    Raises `FindingError` if the method fails or deadlocks.
    """
    function = getattr(case, method)
    for marked in (case, function):
        if getattr(marked, "__unittest_skip__", False):
            pytest.skip(marked.__unittest_skip_why__)
    try:
        # `gc_collect` is replaced because it is slow, and some tests call it repeatedly while they wait for threads.
        with mock.patch.object(support, "gc_collect"):
            return raddle.check(
                scenario_of(case, method),
                **{"source": UNRELATED_SOURCE, "scheduler": "random", "step_limit": 1_000_000} | options,
            )
    except raddle.FindingError as found:
        error = found.result.findings[0].error
        if isinstance(error, unittest.SkipTest):
            pytest.skip(str(error))
        raise
