"""If the data file cannot be written, findings are still printed, and they still determine the exit code."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from textwrap import dedent

import pytest

import raddle
from raddle.cli import group
from raddle.store import connection, file

PROGRAM = """
    import threading

    class Counter:
        def __init__(self):
            self.n = 0

        def add(self):
            self.n += 1

    def count():
        counter = Counter()
        threads = [threading.Thread(target=counter.add) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return counter.n

    def lost_update():
        assert count() == 2

    def fine():
        count()

    if __name__ == "__main__":
        print(count())
        raise SystemExit(7)
"""
FULL = sqlite3.OperationalError("database or disk is full")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "not_stored.py").write_text(dedent(PROGRAM))
    monkeypatch.chdir(tmp_path)
    return tmp_path


STORE_ERRORS = {
    "the disk is full": (FULL, "cannot be written (database or disk is full): free disk space"),
    "disk I/O error": (sqlite3.OperationalError("disk I/O error"), "cannot be written (disk I/O error)"),
    "the file is damaged": (sqlite3.DatabaseError("database disk image is malformed"), "is damaged"),
    "the file is read-only": (
        sqlite3.OperationalError("attempt to write a readonly database"),
        "cannot be written (attempt to write a readonly database)",
    ),
    "OSError": (OSError(28, "No space left on device"), "No space left on device"),
    "Ctrl-C": (KeyboardInterrupt(), "interrupted while writing"),
}


@pytest.fixture(params=STORE_ERRORS.values(), ids=STORE_ERRORS.keys())
def store_error(request, monkeypatch):
    error, sentence = request.param

    def fail(*args, **kwargs):
        raise error

    monkeypatch.setattr(file, "add_contents", fail)
    return sentence


def run(capsys, *args):
    code = group.main(list(args), standalone_mode=False)
    out, err = capsys.readouterr()
    return code, out, err


def test_explore_prints_findings_that_cannot_be_stored(folder, store_error, capsys):
    code, _, err = run(capsys, "explore", "not_stored.py::lost_update", "--executions", "50")
    assert code == 1
    assert "AssertionError" in err
    assert "replay: raddle replay not_stored.py::lost_update" in err
    assert err.splitlines()[-1].startswith("raddle: nothing was stored: ")
    assert store_error in err.splitlines()[-1]
    assert "added to" not in err


def test_explore_reports_a_store_error_in_json(folder, store_error, capsys):
    code, out, err = run(capsys, "explore", "not_stored.py::lost_update", "--executions", "50", "--json")
    result = json.loads(out)
    assert (code, result["outcome"]) == (1, "assertion")
    assert result["findings"][0]["schedule"]
    assert store_error in result["not_stored"]
    assert store_error in err


def test_a_store_error_without_findings_has_exit_code_4(folder, store_error, capsys):
    code, out, _ = run(capsys, "explore", "not_stored.py::fine", "--executions", "50", "--json")
    assert (code, json.loads(out)["outcome"]) == (4, "passed")


def test_search_reports_a_store_error(folder, store_error, capsys):
    arguments = ("search", "not_stored.py::lost_update", "--evaluations", "2")
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 1
    assert store_error in json.loads(out)["not_stored"]
    assert store_error in err


def test_the_library_returns_a_result_that_cannot_be_stored(folder, store_error, monkeypatch):
    monkeypatch.syspath_prepend(folder)
    import not_stored

    result = raddle.explore(
        not_stored.lost_update, source=["not_stored"], executions=50, data_file="data", criteria="map"
    )
    sys.modules.pop("not_stored")
    assert result.failed
    assert store_error in result.not_stored
    assert result.criteria["map"]["covered"] > 0


def test_a_damaged_data_file_does_not_hide_findings(folder, capsys):
    """The file has a valid header, but the pages after it are corrupt."""
    assert run(capsys, "explore", "not_stored.py::fine", "--executions", "20")[0] == 0
    stored = (folder / ".raddle").read_bytes()
    (folder / ".raddle").write_bytes(stored[:100] + b"\0" * (len(stored) - 100))
    code, _, err = run(capsys, "explore", "not_stored.py::lost_update", "--executions", "50")
    assert code == 1
    assert "AssertionError" in err
    assert "nothing was stored" in err.splitlines()[-1]


def test_a_data_file_locked_by_another_process_is_reported(folder, capsys, monkeypatch):
    monkeypatch.setattr(connection.write, "__kwdefaults__", {"busy_seconds": 0.0})
    monkeypatch.setattr(file.add, "__kwdefaults__", {"starts_run": None, "busy_seconds": 0.0})
    assert run(capsys, "explore", "not_stored.py::fine", "--executions", "20")[0] == 0
    other = sqlite3.connect(folder / ".raddle", isolation_level=None)
    try:
        other.execute("begin immediate")
        code, _, err = run(capsys, "explore", "not_stored.py::lost_update", "--executions", "50", "--no-corpus")
    finally:
        other.close()
    assert code == 1
    assert ".raddle was locked by another process" in err.splitlines()[-1]


LIMITED = """
    import resource, signal, sys
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    from raddle.cli import main
    main()
"""


def test_a_store_error_does_not_change_the_exit_code_of_a_program(folder):
    """The process cannot write files larger than 4 KiB, which is too small for a data file."""
    pytest.importorskip("resource")
    command = [sys.executable, "-c", dedent(LIMITED), "run", "--data-file", "data", "not_stored.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (7, "2\n")
    assert "nothing was stored: " in done.stderr
    assert "method-pairs" in done.stderr  # the summary is still printed


def test_a_closed_stdout_does_not_change_the_exit_code(folder):
    command = [sys.executable, "-m", "raddle", "explore", "not_stored.py::lost_update", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder) as process:
        process.stdout.close()
        _, err = process.communicate(timeout=120)
    assert process.returncode == 1
    assert b"Traceback" not in err
