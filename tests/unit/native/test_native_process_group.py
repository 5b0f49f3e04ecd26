"""Processes ended by a signal still store their coverage, and the first process summarizes all processes."""

from __future__ import annotations

import importlib.util
import json
import tempfile
from pathlib import Path
from textwrap import dedent

import pytest
from program_runs import plain, run_command, watched

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
def test_terminated_pool_workers_store_their_coverage(tmp_path: Path, method: str) -> None:
    """A pool sends SIGTERM to its workers as soon as its `with` block ends."""
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
def test_a_process_that_is_terminated_while_waiting_stores_its_coverage(tmp_path: Path, method: str) -> None:
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


def test_a_terminated_program_stores_its_coverage(tmp_path: Path) -> None:
    """SIGTERM may arrive during recording. The exit status is the same as without raddle."""
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


def test_the_programs_own_signal_handler_is_kept(tmp_path: Path) -> None:
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
def test_coverage_of_xdist_workers_is_merged(tmp_path: Path) -> None:
    write(tmp_path, test_counting="from counting import count\ndef test_it(): assert count(2) == 2\n")
    pytest_ = ["-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "test_counting.py"]
    ended = run_command(tmp_path, *MAP, "--json", *pytest_)
    data = json.loads(ended.out.splitlines()[-1])
    assert data["processes"] > 1
    assert data["criteria"]["map"]["covered"] == len(read(tmp_path / ".raddle").tally.covered["map"]) > 0


def test_the_printed_summary_counts_other_processes(tmp_path: Path) -> None:
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
    assert "in the first process; also measured: 1 more process" in ended.err
    assert "added to .raddle" in ended.err


def test_no_temporary_files_are_left(tmp_path: Path) -> None:
    write(tmp_path, program="from counting import count\ncount(2)\n")
    (tmp_path / "temporary").mkdir()
    ended = watched(tmp_path, "program.py", options=MAP, env={"TMPDIR": str(tmp_path / "temporary")})
    assert (ended.code, ended.summary["processes"]) == (0, 1)
    failed = watched(tmp_path, "-m", "no.such", options=MAP, env={"TMPDIR": str(tmp_path / "temporary")})
    assert failed.code != 0
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise ValueError('at once')\n", "the code that ran contains nothing that threads can share"),
        ("def f(:\n", "no code in "),
    ],
)
def test_the_message_says_why_nothing_was_measured(tmp_path: Path, source: str, reason: str) -> None:
    (tmp_path / "program.py").write_text(source)
    ended = run_command(tmp_path, *MAP, "program.py")
    assert ended.code == 1
    assert f"nothing was measured: {reason}" in ended.err
    assert not (tmp_path / ".raddle").exists()


def test_merged_returns_none_until_another_process_adds_a_record(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tally = Tally()
    tally.add(1, "sync", [(70000, "visited")])
    record = Record(origin="run app.py", mode="native", tally=tally, sites={}, paths={})
    folder, first = ProcessGroup.create_folder()
    group = ProcessGroup(folder, first)
    group.add_at_exit(record)
    assert group.merged(record) is None
    ProcessGroup(folder, first + 1).add_at_exit(record)  # as another process would
    merged = group.merged(record)
    assert merged is not None
    assert merged.tally.covered["sync"][70000, "visited"].executions == 2
    group.remove_folder()
    ProcessGroup(folder, first + 1).add_at_exit(record)  # as a process that outlives the first one would
    assert list(tmp_path.iterdir()) == []
