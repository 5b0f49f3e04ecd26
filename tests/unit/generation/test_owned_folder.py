"""Temporary folders are deleted, also those of processes that were killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile

import pytest

import processes
from raddle.generation.owned_folder import OwnedFolder, delete_abandoned

pytest.importorskip("fcntl")

WAITS = """
import sys
from raddle.generation.owned_folder import OwnedFolder
folder = OwnedFolder()
(folder.work / "file").write_text("x")
print(folder.work, flush=True)
sys.stdin.read()
"""


def test_only_the_folder_of_a_process_that_has_ended_is_deleted(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "raddle-generate-mine").mkdir()  # without a lock, so it belongs to another program
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with processes.started([sys.executable, "-c", WAITS], **pipes) as process, OwnedFolder() as own:
        folder = process.stdout.readline().strip()
        assert delete_abandoned() == 0
        assert len(list(tmp_path.iterdir())) == 3
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert delete_abandoned() == 1
        assert own.work.is_dir()
        assert folder.startswith(str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["raddle-generate-mine"]
