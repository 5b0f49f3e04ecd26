"""Files are imported under names that are the same in every run, and that tests can import."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys

import pytest

from raddle.errors import UsageError
from raddle.execute.loading import load_module

NAMES = ("loading_twin", "first", "second", "first.loading_twin", "second.loading_twin")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield tmp_path
    for name in NAMES:
        sys.modules.pop(name, None)


def twins(folder, *names):
    for name in names:
        (folder / name).mkdir()
        (folder / name / "loading_twin.py").write_text(f"PLACE = {name!r}\n")
    return [load_module(str(folder / name / "loading_twin.py")) for name in names]


def test_a_file_with_the_name_of_another_one_is_imported_by_a_longer_name(folder):
    first, second = twins(folder, "first", "second")
    assert (first.PLACE, second.PLACE) == ("first", "second")
    assert (first.__name__, second.__name__) == ("loading_twin", "second.loading_twin")
    assert importlib.import_module("second.loading_twin") is second


def test_a_file_that_cannot_be_imported_by_name_has_the_same_name_in_every_run(folder):
    # A folder with a hyphen cannot be a part of a name.
    twins(folder, "first", "sec-ond")
    code = (
        "import sys; from raddle.execute.loading import load_module;"
        "load_module('first/loading_twin.py'); print(load_module('sec-ond/loading_twin.py').__name__)"
    )
    names = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=folder, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(names) == 1
    assert names.pop().startswith("loading_twin_at_")


@pytest.mark.parametrize("call", ["os._exit(3)", "os.abort()"])
def test_a_module_that_ends_the_process_is_an_error(folder, call):
    (folder / "loading_ends.py").write_text(f"import os\n{call}\n")
    before = os._exit, os.abort
    with pytest.raises(UsageError) as caught:
        load_module("loading_ends")
    assert str(caught.value) == f"loading_ends cannot be imported: it ends the process with {call}"
    assert (os._exit, os.abort) == before


def test_a_child_process_of_an_imported_module_may_end(folder):
    (folder / "loading_forks.py").write_text(
        "import os\nchild = os.fork()\nif not child:\n    os._exit(7)\nSTATUS = os.waitpid(child, 0)[1]\n"
    )
    assert os.waitstatus_to_exitcode(load_module("loading_forks").STATUS) == 7
