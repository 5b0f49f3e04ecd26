"""Calls a function in a forked child, so that nothing it does to the process's state remains."""

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

_fork, _exit = getattr(os, "fork", None), os._exit  # kept before they are patched


class ChildDiedError(Exception):
    """The child ended without an answer; `how` is what `how_it_ended` says."""

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how

    def __str__(self) -> str:
        return f"the child was {self.how}" if self.how.startswith("killed") else f"the child ended with {self.how}"


class ChildFailedError(ChildDiedError):
    """The function itself raised something; `how` is the traceback."""

    def __str__(self) -> str:
        return self.how


def can_fork() -> bool:
    """Is there a fork on this system?"""
    return _fork is not None


@contextmanager
def without_fork_warning() -> Iterator[None]:
    """Suppress the warning that a forked child lacks the other threads of its parent: ours need none of them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=DeprecationWarning, message=".*multi-threaded.*fork")
        yield


def in_child(function: Callable[[], T]) -> T:
    """What the function returns when called in a child; it must be picklable. Both ends are ours.

    >>> in_child(lambda: 6 * 7)
    42
    """
    return told_by_child(lambda tell: function())


def told_by_child(function: Callable[[Callable[[T], None]], T]) -> T:
    """The same of a function that may also `tell` its answer before it is through: the child ends there and then.

    >>> told_by_child(lambda tell: [tell(number) for number in range(3)][0])
    0
    """
    assert _fork is not None
    reader, writer = os.pipe()
    with without_fork_warning():
        pid = _fork()
    if pid == 0:
        os.close(reader)
        _answer(function, writer)
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
        ok, answer = pickle.loads(data)
    except (EOFError, pickle.UnpicklingError):  # nothing, or not all of it
        raise ChildDiedError(how_it_ended(os.waitstatus_to_exitcode(status))) from None
    if not ok:
        raise ChildFailedError(answer)
    return answer  # type: ignore[no-any-return]


def _answer(function: Callable[[Callable[[T], None]], T], writer: int) -> None:
    """In the child: never returns, and runs nothing of what the parent meant to run at its exit."""

    def tell(answer: T) -> None:
        try:
            data = pickle.dumps((True, answer))
        except Exception:
            data = pickle.dumps((False, traceback.format_exc()))
        _send(data, writer)

    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
        tell(function(tell))
    except BaseException:
        _send(pickle.dumps((False, traceback.format_exc())), writer)
    finally:
        _exit(0)


def _send(data: bytes, writer: int) -> None:
    with os.fdopen(writer, "wb") as pipe:
        pipe.write(data)
    _exit(0)


def how_it_ended(code: int | None) -> str:
    """How a process ended, by its exit code as `multiprocessing` has it.

    >>> how_it_ended(3), how_it_ended(-11), how_it_ended(None)
    ('exit code 3', 'killed by SIGSEGV', 'nobody knows how')
    """
    if code is None:
        return "nobody knows how"
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
