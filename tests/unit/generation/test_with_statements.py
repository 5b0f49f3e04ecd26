"""A `with` statement is two whole calls, in the search as well as in exported tests."""

from __future__ import annotations

import sys

import pytest
from sample_cases import call, case, new

from raddle.execute.thread_installation import Threads
from raddle.exploring.workbench import Workbench
from raddle.generation.binding import bind
from raddle.generation.expressions import Imported
from raddle.generation.naming import Problem
from raddle.generation.rendering import Header, Shown, render
from raddle.generation.surface import MethodKind
from raddle.generation.verification import verify
from raddle.instrument import Selection
from raddle.linearizability.checker import Checker
from raddle.linearizability.judgment import Oracle

MODULE = "turnstile_project"
TURNSTILE = Imported(MODULE, "Turnstile")
SOURCE = '''\
import threading
from contextlib import contextmanager


class Turnstile:
    """`inside` counts who is inside; each change is atomic."""

    def __init__(self):
        self.lock = threading.Lock()
        self.number = 0

    @contextmanager
    def inside(self):
        with self.lock:
            self.number += 1
        try:
            yield
        finally:
            with self.lock:
                self.number -= 1

    def count(self):
        with self.lock:
            return self.number
'''


def entering(name="inside"):
    return call(name, kind=MethodKind.CONTEXT, cls=TURNSTILE)


TEST = case([new(TURNSTILE)], [entering()], [call("count", cls=TURNSTILE)])


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / f"{MODULE}.py").write_text(SOURCE)
    (tmp_path / "tests").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop(MODULE, None)


def text(test):
    return render(test, Shown(Problem(Oracle.RESULTS)), Header("turnstile.Turnstile", "raddle generate"))


def test_the_search_allows_calls_inside_the_with_statement(project):
    domain = Threads(Selection(sources=(MODULE,)))
    with Workbench(domain) as workbench, Checker(workbench, bind(TEST)) as checker:
        results = {history.threads[1][0].value for history in checker.legal().histories}
        assert results == {0, 1}
        assert checker.search(preemptions=2).failure is None


def test_an_exported_test_allows_them_too(project):
    report = verify(text(TEST), file=project / "tests" / "test_it.py")
    assert (report.error, report.passes_sequentially, report.fails) == ("", True, False)
    whole = verify(text(TEST).replace("yield", "pass"), file=project / "tests" / "test_it.py")
    assert (whole.error, whole.passes_sequentially, whole.fails) == ("", True, True)


@pytest.mark.parametrize(
    ("threads", "sentence"),
    [
        ([[entering()], [entering()]], "Two threads enter inside() at the same time."),
        ([[entering("")], [call("count")]], "One thread enters turnstile while another calls count()."),
        (
            [[call("count"), entering()], [call("count")]],
            "One thread calls count() and enters inside() while another calls count().",
        ),
    ],
)
def test_threads_enter_with_statements(threads, sentence):
    assert f'"""{sentence}\n' in text(case([new(TURNSTILE)], *threads))
