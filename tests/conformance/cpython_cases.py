"""Runs the methods of CPython's own test cases as scenarios, one method at a time."""

from __future__ import annotations

import unittest
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any
from unittest import mock

import pytest

import raddle

support: Any = pytest.importorskip("test.support", reason="this Python comes without its `test` package")

NOT_WATCHED = ["colorsys"]  # the twins schedule at every synchronization: no code of CPython's need be probed


def make_case(base: type, name: str, **attributes: Any) -> type[unittest.TestCase]:
    """One of CPython's cases, given the types to test; pytest collects it only as our parameter."""
    for key, value in attributes.items():
        if isinstance(value, FunctionType):
            attributes[key] = staticmethod(value)
    bases = (base,) if issubclass(base, unittest.TestCase) else (base, unittest.TestCase)
    return type(name, bases, attributes)


def methods_of(*cases: type[unittest.TestCase]) -> Iterator[tuple[type[unittest.TestCase], str]]:
    """Every test method of every case."""
    for case in cases:
        for method in unittest.defaultTestLoader.getTestCaseNames(case):
            yield case, method


def parameters(cases: tuple[type[unittest.TestCase], ...], cannot_apply: dict[tuple[str, str], str]) -> list[Any]:
    """One parameter set per method; what cannot apply must fail, or its entry is to be removed."""
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
    """The method as a scenario: whatever it raises comes out."""

    def scenario() -> None:
        test = case(method)
        try:
            test.setUp()
            try:
                getattr(test, method)()
            finally:
                test.tearDown()
        finally:
            while test._cleanups:  # doCleanups keeps what they raise to itself
                function, args, kwargs = test._cleanups.pop()
                function(*args, **kwargs)

    return scenario


def conforms(case: type[unittest.TestCase], method: str, **options: Any) -> raddle.Result:
    """Run one method under control; raises `FindingError` where it fails or gets stuck."""
    function = getattr(case, method)
    for marked in (case, function):
        if getattr(marked, "__unittest_skip__", False):
            pytest.skip(marked.__unittest_skip_why__)
    try:
        with mock.patch.object(support, "gc_collect"):  # called in loops that wait for threads to end: slow
            return raddle.check(
                scenario_of(case, method),
                **{"source": NOT_WATCHED, "scheduler": "random", "step_limit": 1_000_000} | options,
            )
    except raddle.FindingError as found:
        error = found.result.findings[0].error
        if isinstance(error, unittest.SkipTest):
            pytest.skip(str(error))
        raise
