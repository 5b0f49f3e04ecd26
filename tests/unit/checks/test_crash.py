"""Outcomes and findings show the notes of an exception that ends a thread."""

from __future__ import annotations

import json
import os

import pytest

import raddle
from raddle.checks.crash import explain_error, notes_of


def failing() -> None:
    error = ValueError("no")
    error.add_note("Failing test case: test_it(\n    n=0,\n)")
    error.add_note("second")
    raise error


NOTES = ("Failing test case: test_it(\n    n=0,\n)", "second")


def test_an_outcome_contains_the_notes_of_the_exception() -> None:
    with pytest.raises(ValueError, match="no") as caught:
        failing()
    assert explain_error(caught.value, "T1").notes == NOTES


def test_notes_of_any_type_are_accepted() -> None:
    # According to PEP 678, `__notes__` may be set to anything, and tracebacks must still be printed.
    error = ValueError("no")
    assert notes_of(error) == ()
    error.__notes__ = [7, "text"]  # type: ignore[list-item]
    assert notes_of(error) == ("7", "text")
    error.__notes__ = 7  # type: ignore[assignment]
    assert notes_of(error) == ()


WITH_FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork")


@pytest.mark.parametrize("isolate", ["none", pytest.param("fork", marks=WITH_FORK)])
def test_findings_contain_the_notes_of_the_exception(isolate: str) -> None:
    result = raddle.explore(failing, isolate=isolate, executions=1, shrink=False)
    (finding,) = result.findings
    assert finding.notes == NOTES
    assert finding.details[-4:] == ("Failing test case: test_it(", "    n=0,", ")", "second")
    assert json.loads(json.dumps(finding.as_json()))["notes"] == list(NOTES)


def test_the_error_raised_by_check_shows_the_notes() -> None:
    with pytest.raises(AssertionError) as caught:
        raddle.check(failing)
    assert "\nFailing test case: test_it(\n    n=0,\n)\nsecond\n" in str(caught.value)
