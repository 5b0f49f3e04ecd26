"""The output of raddle generate does not hide errors of raddle itself."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from raddle.cli.generate_screen import GenerationScreen
from raddle.generation.generate import GenerationProgress
from raddle.generation.generation_result import ClassReport
from raddle.generation.search_end import SearchEnd

BROKEN = ClassReport(
    "shop:Cart",
    SearchEnd.INTERNAL_ERROR,
    traceback="Traceback (most recent call last):\n  ...\nZeroDivisionError: no\n",
)


@pytest.mark.parametrize("classes", [1, 2])
@pytest.mark.parametrize("is_silent", [False, True], ids=["text", "json"])
def test_an_internal_error_is_shown(is_silent, classes):
    text = io.StringIO()
    with GenerationScreen(Console(file=text, width=200), is_silent=is_silent, is_verbose=False) as screen:
        screen(GenerationProgress("shop:Cart", 1, classes, "searching", report=BROKEN))
    assert BROKEN.traceback in text.getvalue()
    assert "this is a bug in raddle" in text.getvalue()


def test_the_result_as_json_contains_the_internal_error():
    assert BROKEN.as_json()["error"] == "ZeroDivisionError: no"
