"""A limited encoding of stdout, a full disk or a closed pipe never causes a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import processes
from raddle.store import read

FULL = Path("/dev/full")  # every write to this device fails


def raddle(folder, *arguments, stdout=subprocess.PIPE, **environment):
    return processes.run(
        [sys.executable, "-m", "raddle", *arguments],
        cwd=folder, stdout=stdout, stderr=subprocess.PIPE, env=os.environ | environment,
    )  # fmt: skip


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "ascii"])
def test_characters_outside_the_encoding_of_stdout_are_escaped(tmp_path, encoding):
    done = raddle(tmp_path, "criteria", PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"K\u0159ena" in done.stdout  # none of the three encodings can represent U+0159


def test_characters_in_the_encoding_of_stdout_are_written(tmp_path):
    assert "Křena".encode() in raddle(tmp_path, "criteria", PYTHONIOENCODING="utf-8").stdout


def test_the_stdout_of_a_program_is_not_changed(tmp_path):
    (tmp_path / "program.py").write_text("import sys\nprint(sys.stdout.errors)\n")
    done = raddle(tmp_path, "run", "program.py", PYTHONIOENCODING="ascii:strict")
    assert done.stdout.split() == [b"strict"]


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
# Buffered output fails at the last flush, and unbuffered output fails at the first write.
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["criteria"], ["criteria", "--json"], ["--help"]])
def test_a_full_disk_is_reported(tmp_path, arguments, unbuffered):
    with FULL.open("w") as stdout:
        done = raddle(tmp_path, *arguments, stdout=stdout, PYTHONUNBUFFERED=unbuffered)
    assert done.returncode == 4
    assert done.stderr == b"raddle: the output cannot be written: No space left on device [output-unwritable]\n"


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
def test_a_full_disk_loses_only_the_summary_of_a_run(tmp_path):
    (tmp_path / "program.py").write_text("class A: pass\na = A()\na.b = 1\n")
    with FULL.open("w") as stdout:
        done = raddle(tmp_path, "run", "--json", "program.py", stdout=stdout, PYTHONUNBUFFERED="1")
    assert done.returncode == 0  # the exit code of the program
    assert done.stderr == b"raddle: the output cannot be written: No space left on device [output-unwritable]\n"
    assert len(read(tmp_path / ".raddle").runs) == 1


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_causes_no_error_message(tmp_path, unbuffered):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as stdout:
        done = raddle(tmp_path, "criteria", stdout=stdout, PYTHONUNBUFFERED=unbuffered)
    assert done.stderr == b""
