"""Calls a function in a forked child, so that nothing it does to the process's state remains."""

from __future__ import annotations

import os
import pickle
import signal
import traceback
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_fork = getattr(os, "fork", None)  # kept before it is patched


class ChildDiedError(Exception):
    """The child ended without an answer."""


def can_fork() -> bool:
    """Is there a fork on this system?"""
    return _fork is not None


def in_child(function: Callable[[], T]) -> T:
    """What the function returns when called in a child; it must be picklable. Both ends are ours.

    >>> in_child(lambda: 6 * 7)
    42
    """
    assert _fork is not None
    reader, writer = os.pipe()
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
    if not data:
        raise ChildDiedError(_how(status))
    ok, answer = pickle.loads(data)
    if not ok:
        raise ChildDiedError(answer)
    return answer  # type: ignore[no-any-return]


def _answer(function: Callable[[], object], writer: int) -> None:
    """In the child: never returns, and runs nothing of what the parent meant to run at its exit."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
        try:
            data = pickle.dumps((True, function()))
        except BaseException:
            data = pickle.dumps((False, traceback.format_exc()))
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(data)
    finally:
        os._exit(0)


def _how(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"the child was killed by {signal.Signals(number).name}"
    return f"the child ended with exit code {os.waitstatus_to_exitcode(status)}"
