"""Starts processes for tests and makes sure that none outlives its test.

All time limits are generous, so that no test depends on how busy the machine is.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import warm
from warm import HANG_SECONDS

GRACE_SECONDS = 60  # time allowed for a process to end by itself
# Every process that a test starts has this environment variable. Its value is the pid of the pytest process.
OWNER_VARIABLE = "STARTED_BY_TESTS_OF"
HELPERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")  # end with the process they serve


@contextlib.contextmanager
def started(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Start a process in a new session; kill it and its descendants at the end of the block."""
    process = subprocess.Popen(command, start_new_session=True, **options)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with process:  # closes the pipes and waits for the process
            pass


@contextlib.contextmanager
def ready(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Start a process as `started` does, and wait until it is ready.

    The process signals readiness by writing to the file descriptor given in the environment variable `READY`.
    """
    reader, writer = os.pipe()
    with contextlib.ExitStack() as opened:
        pipe = opened.enter_context(open(reader, "rb", buffering=0))
        with open(writer, "wb"):  # closed after the start, so that the pipe closes when the process ends
            environment = os.environ | {"READY": str(writer)}
            process = opened.enter_context(started(command, env=environment, pass_fds=[writer], **options))
        assert pipe.read(1), "the process ended before it was ready"
        yield process


def run(
    command: Sequence[str],
    *,
    input: str | bytes | None = None,
    capture_output: bool = False,
    check: bool = False,
    **options: Any,
) -> subprocess.CompletedProcess[Any]:
    """Run a process to its end like `subprocess.run`, then kill its remaining descendants."""
    if capture_output:
        options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    if input is not None:
        options["stdin"] = subprocess.PIPE
    with started(command, **options) as process:
        out, err = process.communicate(input, timeout=HANG_SECONDS)
    done = subprocess.CompletedProcess(command, process.returncode, out, err)
    if check:
        done.check_returncode()
    return done


@pytest.fixture(scope="session", autouse=True)
def default_signals() -> Iterator[None]:
    """Restore the default handler of SIGINT.

    A shell script that starts pytest in the background makes it ignore SIGINT.
    """
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    warm.stop()
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module", autouse=True)
def no_descendant_is_left() -> Iterator[None]:
    """Fail if a process that was started by the module's tests, directly or indirectly, is still running."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(OWNER_VARIABLE, str(os.getpid()))
        yield
    _end(_descendants(), "a test of this module")


@pytest.fixture(autouse=True)
def no_child_is_left() -> Iterator[None]:
    """Fail if a child process that the test started is still running."""
    yield
    _end(_children(), "this test")


def _end(left: Sequence[int], starter: str) -> None:
    lasting = [(pid, _command(pid)) for pid in left if not _is_helper(pid) and not _ends(pid)]
    for pid, _ in lasting:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for pid, _ in lasting:  # a killed process may take a moment to end, and the next check must not see it
        _ends(pid, HANG_SECONDS)
    assert not lasting, f"{starter} left processes running; start them with processes.run or processes.started"


if sys.platform == "linux":

    def _children() -> list[int]:
        tasks = Path("/proc/self/task").glob("*/children")
        return [int(pid) for task in tasks for pid in _read(task).split()]

    def _descendants() -> list[int]:
        mark = f"{OWNER_VARIABLE}={os.getpid()}\0"
        files = Path("/proc").glob("[0-9]*/environ")
        return [int(file.parent.name) for file in files if mark in _read(file)]

    def _command(pid: int) -> str:
        return _read(Path(f"/proc/{pid}/cmdline")).replace("\0", " ")

    def _is_helper(pid: int) -> bool:
        return pid in warm.pids() or any(helper in _command(pid) for helper in HELPERS)

    def _ends(pid: int, seconds: float | None = None) -> bool:
        try:
            process = os.pidfd_open(pid)
        except ProcessLookupError:
            return True
        try:
            return bool(select.select([process], [], [], GRACE_SECONDS if seconds is None else seconds)[0])
        finally:
            os.close(process)

    def _read(file: Path) -> str:
        try:
            return file.read_text("utf-8", "replace")
        except OSError:  # the process has ended or belongs to another user
            return ""

else:  # there is no cheap way to list processes

    def _children() -> list[int]:
        return []

    _descendants = _children
