from __future__ import annotations

import os
import signal

import pytest

from raddle.execute.fork import can_fork
from raddle.generation.process_guard import REFUSED, ProcessGuard


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("os.kill", (0, signal.SIGTERM)),
        ("os.kill", (-1, signal.SIGKILL)),
        ("os.kill", (1, signal.SIGTERM)),
        ("os.killpg", (os.getpgid(0), signal.SIGTERM)),
        ("subprocess.Popen", ("ls", ["ls"], None, None)),
        ("os.system", (b"ls",)),
        ("os.exec", ("ls", ["ls"], None)),
        ("os.posix_spawn", ("ls", ["ls"], {})),
    ],
)
def test_signals_to_other_processes_and_programs_are_refused(event, arguments):
    guard = ProcessGuard()
    with pytest.raises(PermissionError, match=REFUSED):
        guard.check(event, arguments)
    assert guard.refused == event


def test_the_process_may_signal_itself():
    guard = ProcessGuard()
    guard.check("os.kill", (os.getpid(), 0))
    guard.check("os.listdir", ("/",))
    assert guard.refused == ""


@pytest.mark.skipif(not can_fork(), reason="needs a child process")
def test_the_process_may_signal_its_children():
    end, other = os.pipe()
    child = os.fork()
    if not child:
        os.read(end, 1)  # until the parent has checked
        os._exit(0)
    try:
        ProcessGuard().check("os.kill", (child, signal.SIGKILL))
        with pytest.raises(PermissionError):
            ProcessGuard().check("os.kill", (os.getppid(), signal.SIGKILL))
    finally:
        os.write(other, b".")
        os.waitpid(child, 0)
        os.close(end)
        os.close(other)
