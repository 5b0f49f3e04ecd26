"""Texts are verified in child processes."""

from __future__ import annotations

from pathlib import Path

import pytest
import shelf_under_test

from raddle.event import Event
from raddle.generation.verification import is_lost_update, verify
from raddle.operation import READ, WRITE

MODULE = "shelfproject"
TEXT = """\
import raddle
from shelfproject import Shelf


def full():
    shelf = Shelf()
    shelf.put("a", 0)
    return shelf


def test_it():
    {body}
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with classes that have bugs, and a folder for tests."""
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / f"{MODULE}.py").write_text(Path(shelf_under_test.__file__).read_text(encoding="utf-8"))
    (tmp_path / "tests").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(project, body, *, seconds=60.0):
    return verify(TEXT.replace("{body}", body), file=project / "tests" / "test_it.py", seconds=seconds)


def test_a_test_that_passes_is_reported(project):
    report = check(project, "raddle.linearizable(Shelf, [len], [len])")
    assert (report.passes_sequentially, report.fails) == (True, False)
    assert report.problem == "the test passes when it is searched"


def test_a_schedule_that_does_not_fail_is_reported(project):
    # Without preemptions, the second take() finds nothing.
    report = check(
        project, "raddle.linearizable(full, [lambda s: s.take('a')], [lambda s: s.take('a')], schedule='T0; T1; T2.')"
    )
    assert (report.fails, report.hint_fails) == (True, False)
    again = check(
        project,
        f"raddle.linearizable(full, [lambda s: s.take('a')], [lambda s: s.take('a')], schedule={report.schedule!r})",
    )
    assert (again.fails, again.hint_fails, again.problem) == (True, True, "")


def test_a_test_whose_calls_are_not_deterministic_is_reported(project):
    # The legal outcomes come from three executions with an empty list. Later lists are longer.
    body = (
        "import itertools; number = itertools.count(1); "
        "raddle.linearizable(lambda: [0] * (next(number) // 4), [len], [len])"
    )
    assert "do not behave in the same way in every execution" in check(project, body).problem


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("raise ValueError('broken')", "ValueError: broken"),
        ("pass", "does not call raddle.linearizable"),
        ("import os; os._exit(3)", "exit code 3"),
        ("raddle.linearizable(Shelf, [], [])", "makes no calls"),
    ],
)
def test_a_text_that_cannot_be_run_is_reported(project, body, error):
    assert error in check(project, body).problem


def test_a_test_that_does_not_end_is_reported(project):
    # The child process never ends, so the limit is reached on any machine.
    report = check(project, "import threading; threading.Event().wait()", seconds=0.5)
    assert report.problem == "the test was still running after 0.5 seconds"


def test_the_report_has_the_story(project):
    body = "raddle.linearizable(full, [lambda shelf: shelf.take('a')], [lambda shelf: shelf.take('a')])"
    report = check(project, body)
    assert report.message.startswith("shelf.take('a') raised KeyError, which no order of whole calls does\n")
    assert report.oracle == "exceptions"
    assert report.file == f"{MODULE}.py"


def test_nothing_is_written_into_the_project(project):
    before = sorted(path.name for path in project.rglob("*") if "__pycache__" not in path.parts)
    check(project, "raddle.linearizable(Shelf, [len], [len])")
    assert sorted(path.name for path in project.rglob("*") if "__pycache__" not in path.parts) == before


def steps(text):
    """Return the events of a text such as "1r 2w", where each word is a thread and whether it reads or writes."""
    kinds = {"r": READ, "w": WRITE}
    return [
        Event(
            thread=f"T{word[0]}", kind=kinds[word[1]], variable=word[2:] or "Tally.total", object=1, file="a.py", line=1
        )
        for word in text.split()
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1r 2r 2w 1w", True),
        ("1r 2w 1w", True),
        ("1r 1w 2r 2w", False),
        ("1r 2w 1r 1w", False),  # reads again before it writes
        ("1w 2w", False),  # writes without having read
        ("1r 2r", False),
        ("0r 2w 0w", False),  # T0 makes no calls
        ("1ra[] 2wa[] 1wa[]", False),  # a write of contents overwrites nothing
    ],
)
def test_an_update_is_lost_if_it_is_overwritten_by_a_thread_that_did_not_see_it(text, expected):
    assert is_lost_update(steps(text)) == expected
