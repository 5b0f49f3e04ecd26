"""The guard refuses programs and signals to the processes of others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from raddle.generation.process_guard import REFUSED, ProcessGuard


@pytest.mark.parametrize(
    ("event", "arguments", "what"),
    [
        ("os.system", (b"rm -f a",), "run rm -f a"),
        ("subprocess.Popen", ("rm", ["rm", "a"], None, None), "run rm"),
        ("os.exec", ("/bin/rm", ["rm", "a"], None), "run /bin/rm"),
        ("os.spawn", (os.P_NOWAIT, "/bin/rm", ["rm"], None), "run /bin/rm"),
        ("os.kill", (os.getppid(), 0), f"send signal 0 to process {os.getppid()}"),
        ("os.kill", (1, signal.SIGTERM), "send signal 15 to process 1"),
        ("os.kill", (0, signal.SIGTERM), "send signal 15 to process 0"),
        ("os.kill", (-1, signal.SIGTERM), "send signal 15 to process -1"),
        ("os.killpg", (os.getpgrp(), signal.SIGTERM), f"send signal 15 to process {os.getpgrp()}"),
    ],
)
def test_what_reaches_other_processes_is_refused(event, arguments, what):
    guard = ProcessGuard()
    if event in ("os.kill", "os.killpg"):
        arguments = arguments[0], int(arguments[1])
    with pytest.raises(PermissionError, match=REFUSED):
        guard.check(event, arguments)
    assert guard.refused == what


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("os.kill", (os.getpid(), signal.SIGUSR1)),
        ("os.fork", ()),
        ("open", ("a", "w", os.O_WRONLY)),
    ],
)
def test_other_events_are_allowed(event, arguments):
    guard = ProcessGuard()
    guard.check(event, arguments)
    assert not guard.refused


@pytest.mark.skipif(not hasattr(os, "waitid") or not hasattr(os, "fork"), reason="needs os.waitid and os.fork")
def test_signals_to_children_are_allowed():
    child = os.fork()
    if not child:
        signal.pause()
        os._exit(0)
    try:
        ProcessGuard().check("os.kill", (child, signal.SIGKILL))
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


# Each line runs a program that creates the file "made".
@pytest.mark.parametrize(
    "line",
    [
        "os.system('touch made')",
        "subprocess.run(['touch', 'made'])",
        "os.posix_spawn('/usr/bin/touch', ['touch', 'made'], {})",
        "os.execv('/usr/bin/touch', ['touch', 'made'])",
        "os.popen('touch made')",
        "multiprocessing.get_context('spawn').Process(target=open, args=('made', 'w')).start()",
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="the programs exist only on POSIX systems")
def test_no_function_of_the_standard_library_starts_a_program(tmp_path, line):
    assert _output_of(tmp_path, line) == "refused\n"
    assert not (tmp_path / "made").exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="os.spawnlp is built on os.fork only on POSIX systems")
def test_a_fork_cannot_become_another_program(tmp_path):
    _output_of(tmp_path, "os.spawnlp(os.P_WAIT, 'touch', 'touch', 'made')")
    assert not (tmp_path / "made").exists()


def _output_of(folder, line):
    """Return what a Python program prints that runs this line under a guard."""
    program = f"""
        import multiprocessing, os, subprocess
        from raddle.generation.process_guard import ProcessGuard
        guard = ProcessGuard()
        guard.install()
        try:
            {line}
        except PermissionError as error:
            print("refused" if guard.refused else error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=folder, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    return done.stdout
