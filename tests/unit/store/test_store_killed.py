"""The data file stays intact if writers are killed at any moment, and if several processes write at once."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
from pathlib import Path
from random import Random

import pytest

import processes
from raddle.store import read

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL")
WRITERS = 3
SCRIPT = Path(__file__).with_name("killed_writers.py")


def check_integrity(file):
    database = sqlite3.connect(file)
    assert database.execute("pragma integrity_check").fetchall() == [("ok",)]
    database.close()


def test_a_writer_killed_at_any_statement_stores_nothing(tmp_path):
    file = tmp_path / "data"
    done = processes.run([sys.executable, str(SCRIPT), "statements", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    killed = int(done.stdout.split()[0])
    assert killed > 30  # one writer per statement
    check_integrity(file)


def finished_before_the_kill(file, round_, lines):
    """Start three writers, kill them after `lines` stored records, and return the origins they printed."""
    command = [sys.executable, str(SCRIPT), "write", str(file)]
    reader, pipe = os.pipe()
    with contextlib.ExitStack() as ended:
        writers = [
            ended.enter_context(processes.started([*command, f"{round_}.{place}"], stdout=pipe))
            for place in range(WRITERS)
        ]
        os.close(pipe)
        output = ended.enter_context(open(reader, encoding="utf-8"))
        finished = [output.readline() for _ in range(lines)]
        for writer in writers:
            writer.kill()
        finished += [line for line in output if line.endswith("\n")]
    return {line.strip() for line in finished}


def test_records_stored_before_a_kill_survive(tmp_path):
    file, random, rounds = tmp_path / "data", Random(5), 4
    finished = set()
    for round_ in range(rounds):
        finished |= finished_before_the_kill(file, round_, random.randint(1, 15))
        check_integrity(file)
    contents = read(file)
    stored = [run.origin for run in contents.runs]
    # Every record that was printed is stored. Each writer may have stored one more record and been killed before
    # printing it.
    assert finished <= set(stored)
    assert len(stored) == len(set(stored)) <= len(finished) + rounds * WRITERS
    assert contents.tally.executions == 3 * len(stored)
    # The keys of a record are (execution, 0 to 9), so each run covers each key once.
    assert {seen.executions for seen in contents.tally.covered["map"].values()} == {len(stored)}
    assert len(contents.tally.covered["map"]) == 30
