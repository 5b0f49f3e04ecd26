"""The setting `thread-methods`: how many of a thread's first methods identify the thread.

This follows section 4 of the paper by Křena, Letko and Vojnar.
"""

from __future__ import annotations

import inspect
import sys
import threading
from pathlib import Path

import pytest

import raddle
from raddle.cli.explore import explore
from raddle.errors import UsageError
from raddle.store import read


class Cell:
    def __init__(self):
        self.value = 0

    def read(self):
        return self.value

    def write(self):
        self.value = 1


def work(cell, last):
    cell.read()
    getattr(cell, last)()


def scenario():
    cell = Cell()
    threads = [threading.Thread(target=work, args=(cell, last)) for last in ("read", "write")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# Both threads have the same type, and both first run `work` and then `read`. The third method distinguishes them.
@pytest.mark.parametrize(("methods", "kinds"), [(0, 1), (1, 1), (2, 1), (3, 2), (20, 2)])
def test_only_the_first_methods_distinguish_threads(methods, kinds):
    (sample,) = raddle.measure(scenario, criteria="map", executions=1, thread_methods=methods, source=[__file__])
    assert len({sample.entities.thread(actor) for actor in (1, 2)}) == kinds


@pytest.mark.parametrize(
    "options", [{}, {"workers": 1}, {"workers": 2}], ids=["in this process", "one process", "two processes"]
)
def test_explore_passes_the_number_of_methods_to_its_processes(options):
    threads = []
    for methods in (2, 3):
        options = {**options, "thread_methods": methods, "source": [__file__]}
        result = raddle.explore(scenario, criteria="du-pairs*", executions=40, **options)
        keys = result.tally.covered["du-pairs*"]
        threads.append({part for key in keys for part in _threads(key) if "work" in part[0]})
    assert list(map(len, threads)) == [1, 2]


def _threads(key):
    """Yield the abstract threads in a key: pairs of strings, the second of which is a digest."""
    for part in key:
        if isinstance(part, tuple):
            if len(part) == 2 and all(isinstance(text, str) for text in part):
                yield part
            else:
                yield from _threads(part)


@pytest.mark.parametrize("wrong", [-1, "few"])
def test_an_invalid_number_is_refused(wrong):
    with pytest.raises(UsageError, match="thread_methods must be a non-negative integer"):
        raddle.explore(scenario, criteria="map", thread_methods=wrong)


PROGRAM = "\n\n".join(["import threading", *map(inspect.getsource, (Cell, work, scenario))])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "cells.py").write_text(PROGRAM)
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("cells", None)


def _workers_in(data: Path) -> int:
    keys = read(data).tally.covered["du-pairs*"]
    return len({part for key in keys for part in _threads(key) if part[0] == "work"})


@pytest.mark.parametrize(("given", "kinds"), [(["--thread-methods", "2"], 1), (["--thread-methods", "3"], 2), ([], 2)])
def test_explore_accepts_the_option(folder, given, kinds):
    options = ["--criteria", "du-pairs*", "--executions", "40", "--data-file", "data", *given]
    assert explore.main(["cells.py::scenario", *options], standalone_mode=False) == 0
    assert _workers_in(folder / "data") == kinds


def test_the_configuration_file_can_set_the_number(folder):
    (folder / "pyproject.toml").write_text("[tool.raddle]\nthread-methods = 2\n")
    options = ["--criteria", "du-pairs*", "--executions", "40", "--data-file", "data"]
    assert explore.main(["cells.py::scenario", *options], standalone_mode=False) == 0
    assert _workers_in(folder / "data") == 1
