"""Processes that are ended by a signal store what they measured; the first one tells what all of them covered."""

from __future__ import annotations

import importlib.util
import json
import tempfile
from pathlib import Path
from textwrap import dedent

import pytest
from plainly import plain, run_command, watched

from raddle.native.process_group import ProcessGroup
from raddle.record import Record
from raddle.store import read
from raddle.tally import Tally

COUNT = """
import threading
class Counter:
    def __init__(self): self.value = 0
    def add(self): self.value += 1
def count(n):
    counter = Counter()
    threads = [threading.Thread(target=counter.add) for _ in range(n)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    return n
"""
MAP = ("--criteria", "map")


def write(folder: Path, **files: str) -> None:
    for name, source in {"counting": COUNT, **files}.items():
        (folder / f"{name}.py").write_text(dedent(source))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_that_are_terminated(tmp_path: Path, method: str) -> None:
    """A pool in a `with` block tells its workers to end, and sends them SIGTERM at once."""
    write(
        tmp_path,
        program=f"""
        import multiprocessing
        from counting import count
        if __name__ == "__main__":
            with multiprocessing.get_context({method!r}).Pool(1) as pool:
                print(pool.map(count, [2, 3]))
        """,
    )
    ended = watched(tmp_path, "program.py", options=MAP)
    assert (ended.code, ended.out) == (0, "[2, 3]\n")
    assert len(read(tmp_path / ".raddle").runs) == 2
    assert ended.summary["processes"] == 2
    assert ended.summary["criteria"]["map"]["covered"] > 0


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_process_that_waits_is_terminated(tmp_path: Path, method: str) -> None:
    write(
        tmp_path,
        program=f"""
        import multiprocessing
        from counting import count
        def work(ready):
            count(2)
            ready.set()
            multiprocessing.Event().wait()
        if __name__ == "__main__":
            context = multiprocessing.get_context({method!r})
            ready = context.Event()
            process = context.Process(target=work, args=(ready,))
            process.start()
            ready.wait()
            process.terminate()
            process.join()
            print(process.exitcode)
        """,
    )
    ended = watched(tmp_path, "program.py", options=MAP)
    assert (ended.code, ended.out) == (0, "-15\n")
    assert ended.summary["processes"] == 2
    assert ended.summary["criteria"]["map"]["covered"] > 0


def test_a_program_that_is_terminated(tmp_path: Path) -> None:
    """Also in the middle of recording; it ends as it would without us."""
    write(
        tmp_path,
        program="""
        import os, signal, threading
        from counting import count
        count(2)
        class Thing: pass
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
        while True:
            thing = Thing()
            thing.x = thing.y = []
        """,
    )
    assert plain(tmp_path, "program.py").code == -15
    ended = watched(tmp_path, "program.py", options=MAP)
    assert (ended.code, ended.err) == (-15, "")
    assert read(tmp_path / ".raddle").tally.covered["map"]
    assert ended.summary["criteria"]["map"]["covered"] > 0


def test_a_handler_of_the_programs_own_stays(tmp_path: Path) -> None:
    write(
        tmp_path,
        program="""
        import os, signal, sys
        def leave(number, frame):
            print("leaving")
            sys.exit(7)
        signal.signal(signal.SIGTERM, leave)
        os.kill(os.getpid(), signal.SIGTERM)
        """,
    )
    ended = watched(tmp_path, "program.py", options=MAP)
    assert (ended.code, ended.out) == (7, "leaving\n") == (plain(tmp_path, "program.py").code, "leaving\n")


@pytest.mark.skipif(importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed")
def test_the_workers_of_xdist(tmp_path: Path) -> None:
    write(tmp_path, test_counting="from counting import count\ndef test_it(): assert count(2) == 2\n")
    pytest_ = ["-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "test_counting.py"]
    ended = run_command(tmp_path, *MAP, "--json", *pytest_)
    data = json.loads(ended.out.splitlines()[-1])
    assert data["processes"] > 1
    assert data["criteria"]["map"]["covered"] == len(read(tmp_path / ".raddle").tally.covered["map"]) > 0


def test_people_are_told_of_other_processes(tmp_path: Path) -> None:
    write(
        tmp_path,
        program="""
        import subprocess, sys
        subprocess.run([sys.executable, "other.py"], check=True)
        """,
        other="from counting import count\nprint(count(2))",
    )
    ended = run_command(tmp_path, *MAP, "program.py")
    assert ended.out == "2\n"
    assert "in the first process, and 1 more process measured" in ended.err
    assert "added to .raddle" in ended.err


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    write(tmp_path, program="from counting import count\ncount(2)\n")
    (tmp_path / "temporary").mkdir()
    ended = watched(tmp_path, "program.py", options=MAP, env={"TMPDIR": str(tmp_path / "temporary")})
    assert (ended.code, ended.summary["processes"]) == (0, 1)
    refused = watched(tmp_path, "-m", "no.such", options=MAP, env={"TMPDIR": str(tmp_path / "temporary")})
    assert refused.code != 0
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("raise ValueError('at once')\n", "what ran of the code has nothing in it that threads can share"),
        ("def f(:\n", "no code in "),
    ],
)
def test_why_nothing_was_measured(tmp_path: Path, source: str, why: str) -> None:
    (tmp_path / "program.py").write_text(source)
    ended = run_command(tmp_path, *MAP, "program.py")
    assert ended.code == 1
    assert f"nothing was measured: {why}" in ended.err
    assert not (tmp_path / ".raddle").exists()


def test_the_first_process_leaves_nothing_for_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tally = Tally()
    tally.add(1, "sync", [(70000, "visited")])
    record = Record(origin="run app.py", mode="native", tally=tally, sites={}, paths={})
    folder, first = ProcessGroup.create_folder()
    family = ProcessGroup(folder, first)
    family.add_at_exit(record)
    assert family.merged(record) is None
    ProcessGroup(folder, first + 1).add_at_exit(record)  # as if by another process
    merged = family.merged(record)
    assert merged is not None
    assert merged.tally.covered["sync"][70000, "visited"].executions == 2
    family.remove_folder()
    ProcessGroup(folder, first + 1).add_at_exit(record)  # by one that outlives the first
    assert list(tmp_path.iterdir()) == []
