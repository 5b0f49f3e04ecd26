"""Calls functions in a forked child process, so that their changes to the process state are discarded."""

from __future__ import annotations

import os
import pickle
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

_fork, _exit = getattr(os, "fork", None), os._exit  # the originals, saved before they are patched


class ChildDiedError(Exception):
    """Raised when a child process ends without sending a result; `how` is the return value of `how_it_ended`."""

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how

    def __str__(self) -> str:
        return f"the child was {self.how}" if self.how.startswith("killed") else f"the child ended with {self.how}"


class ChildFailedError(ChildDiedError):
    """Raised when the function raises an exception in the child process; `how` is the traceback."""

    def __str__(self) -> str:
        return self.how


def can_fork() -> bool:
    """Return whether this system has `os.fork`."""
    return _fork is not None


@contextmanager
def without_fork_warning() -> Iterator[None]:
    """Suppress the warning about forking a multi-threaded process: raddle's children need no other threads."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning, message=".*multi-threaded.*fork")
        yield


def in_child(function: Callable[[], T]) -> T:
    """Call a function in a child process and return its result, which must be picklable.

    >>> in_child(lambda: 6 * 7)
    42
    """
    return in_child_with_exit(lambda exit_with: function())


def in_child_with_exit(function: Callable[[Callable[[T], None]], T]) -> T:
    """Call a function in a child process and return its result, like `in_child`.

    The function receives a callable that sends a result and ends the child immediately.

    >>> in_child_with_exit(lambda exit_with: [exit_with(number) for number in range(3)][0])
    0
    """
    assert _fork is not None
    reader, writer = os.pipe()
    with without_fork_warning():
        pid = _fork()
    if pid == 0:
        os.close(reader)
        _run_child(function, writer)
    os.close(writer)
    try:
        with os.fdopen(reader, "rb") as pipe:
            data = pipe.read()
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise
    _, status = os.waitpid(pid, 0)
    try:
        ok, result = pickle.loads(data)
    except (EOFError, pickle.UnpicklingError):  # the data is missing or incomplete
        raise ChildDiedError(how_it_ended(os.waitstatus_to_exitcode(status))) from None
    if not ok:
        raise ChildFailedError(result)
    return result  # type: ignore[no-any-return]


def _run_child(function: Callable[[Callable[[T], None]], T], writer: int) -> None:
    """Call the function in the child process and send its result; never return, and run no exit handlers."""

    def exit_with(result: T) -> None:
        try:
            data = pickle.dumps((True, result))
        except Exception:
            data = pickle.dumps((False, traceback.format_exc()))
        _send(data, writer)

    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
        exit_with(function(exit_with))
    except BaseException:
        _send(pickle.dumps((False, traceback.format_exc())), writer)
    finally:
        _exit(0)


def _send(data: bytes, writer: int) -> None:
    with os.fdopen(writer, "wb") as pipe:
        pipe.write(data)
    _exit(0)


def how_it_ended(code: int | None) -> str:
    """Describe how a process ended, given its exit code in the convention of `multiprocessing`.

    >>> how_it_ended(3), how_it_ended(-11), how_it_ended(None)
    ('exit code 3', 'killed by SIGSEGV', 'an unknown exit code')
    """
    if code is None:
        return "an unknown exit code"
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
