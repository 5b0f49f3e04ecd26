"""Processes that tests start: none outlives its test, and no limit depends on how busy the machine is."""

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

GRACE_SECONDS = 60  # for a process that is about to end by itself
OURS = "STARTED_BY_TESTS_OF"  # in the environment of every process that a test started: the process id of its pytest
HELPERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")  # one of each per process, to its end


@contextlib.contextmanager
def started(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Start a process in a session of its own; kill it and all that it started at the end of the block."""
    process = subprocess.Popen(command, start_new_session=True, **options)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with process:  # closes its pipes and waits for it
            pass


@contextlib.contextmanager
def ready(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Start a process as `started` does, and wait until it writes to the pipe whose number it finds in READY."""
    reader, writer = os.pipe()
    with contextlib.ExitStack() as opened:
        pipe = opened.enter_context(open(reader, "rb", buffering=0))
        with open(writer, "wb"):  # closed here once the process has it, so that its end is the end of the pipe
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
    """Run a process to its end like `subprocess.run`; leave nothing running, whatever happens."""
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
    """Give SIGINT its usual meaning. It is ignored where a script runs the tests in the background."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    warm.stop()
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module", autouse=True)
def no_descendant_is_left() -> Iterator[None]:
    """Fail if a process that a test of the module started, or one that it started in turn, still runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(OURS, str(os.getpid()))
        yield
    _end(_descendants(), "a test of this module")


@pytest.fixture(autouse=True)
def no_child_is_left() -> Iterator[None]:
    """Fail if a process that the test started still runs."""
    yield
    _end(_children(), "this test")


def _end(left: Sequence[int], starter: str) -> None:
    lasting = [(pid, _command(pid)) for pid in left if not _is_helper(pid) and not _ends(pid)]
    for pid, _ in lasting:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert not lasting, f"{starter} left processes running; start them with processes.run or processes.started"


if sys.platform == "linux":

    def _children() -> list[int]:
        tasks = Path("/proc/self/task").glob("*/children")
        return [int(pid) for task in tasks for pid in _read(task).split()]

    def _descendants() -> list[int]:
        mark = f"{OURS}={os.getpid()}\0"
        files = Path("/proc").glob("[0-9]*/environ")
        return [int(file.parent.name) for file in files if mark in _read(file)]

    def _command(pid: int) -> str:
        return _read(Path(f"/proc/{pid}/cmdline")).replace("\0", " ")

    def _is_helper(pid: int) -> bool:
        return pid in warm.pids() or any(helper in _command(pid) for helper in HELPERS)

    def _ends(pid: int) -> bool:
        try:
            process = os.pidfd_open(pid)
        except ProcessLookupError:
            return True
        try:
            return bool(select.select([process], [], [], GRACE_SECONDS)[0])
        finally:
            os.close(process)

    def _read(file: Path) -> str:
        try:
            return file.read_text("utf-8", "replace")
        except OSError:  # it has ended, or is another user's
            return ""

else:  # no cheap way to look

    def _children() -> list[int]:
        return []

    _descendants = _children
