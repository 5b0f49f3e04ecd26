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
        "import itertools, types; number = itertools.count(1); size = lambda state: len(state.data); "
        "raddle.linearizable(lambda: types.SimpleNamespace(data=[0] * (next(number) // 4)), [size], [size])"
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


REGISTRY = """\
import threading


class Registry:
    \"\"\"Threads share it.\"\"\"

    def __init__(self):
        self.metrics = {}
        self._n = 0


REGISTRY = Registry()
LAST = []


class Metric:
    def __init__(self, name):
        if name in REGISTRY.metrics:
            raise ValueError("Duplicated metric")
        REGISTRY.metrics[name] = self
        self.n = 0

    def add(self):
        n = self.n
        self.n = n + 1
        return n


def clear():
    REGISTRY.metrics.clear()
"""
METRIC = """\
import raddle
from registryproject import Metric, clear


def test_it():
    raddle.linearizable(lambda: Metric("a"), [lambda m: m.add()], [lambda m: m.add()]{reset})
"""


def test_state_of_modules_that_the_test_does_not_put_back_is_named(project):
    (project / "registryproject.py").write_text(REGISTRY)
    file = project / "tests" / "test_it.py"
    report = verify(METRIC.replace("{reset}", ""), file=file)
    assert report.problem == (
        "its calls change registryproject.REGISTRY, and the test does not put that back: define reset() in a factory, "
        "and pass the file with --with"
    )
    assert verify(METRIC.replace("{reset}", ", reset=clear"), file=file).problem == ""


def test_a_test_must_also_work_after_it_has_run(project):
    # The first run of the test leaves an item in the list, with which the calls are legal.
    (project / "registryproject.py").write_text(
        REGISTRY.replace('            raise ValueError("Duplicated metric")', "            self.fail = True")
        .replace("        n = self.n\n", "        n = self.n\n        if len(LAST) > 60:\n            return 0\n")
        .replace("        self.n = n + 1\n", "        self.n = n + 1\n        LAST.append(1)\n")
    )
    report = verify(METRIC.replace("{reset}", ""), file=project / "tests" / "test_it.py")
    assert "registryproject.LAST" in report.problem


def test_files_outside_the_temporary_folder_are_not_changed(project):
    (project / "notes").write_text("mine")
    (project / "registryproject.py").write_text(
        REGISTRY + f"    try:\n        open({str(project / 'notes')!r}, 'w')\n    except OSError:\n        pass\n"
    )
    report = verify(METRIC.replace("{reset}", ", reset=clear"), file=project / "tests" / "test_it.py")
    assert report.problem.startswith("its calls change files outside the temporary folder, such as ")
    assert (project / "notes").read_text() == "mine"


def test_changes_in_the_working_directory_are_noticed(project):
    (project / "registryproject.py").write_text(REGISTRY + "    open('notes', 'w').close()\n")
    report = verify(METRIC.replace("{reset}", ", reset=clear"), file=project / "tests" / "test_it.py")
    assert (report.problem, report.needs_folder) == ("", True)
    assert not (project / "notes").exists()


def test_what_an_import_does_is_not_what_the_calls_do(project):
    # Some packages look for libraries with a program when they are imported.
    module = project / f"{MODULE}.py"
    module.write_text(module.read_text() + "\n\nimport subprocess, sys\nsubprocess.run([sys.executable, '-c', ''])\n")
    assert check(project, "raddle.linearizable(Shelf, [len], [len])").problem == "the test passes when it is searched"
    calls = "[lambda shelf: subprocess.run([sys.executable, '-c', ''])]"
    body = f"import subprocess, sys\n    raddle.linearizable(Shelf, {calls}, [len])"
    assert "its calls reach other processes" in check(project, body).problem
