"""Turns the end of the process that imported code asks for into an exception."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

_exit, _abort = os._exit, os.abort


class ProcessExitError(BaseException):
    """Raised instead of ending the process. It is a `BaseException`, as `SystemExit` is."""


class _Refusal:
    """Stands in for `os._exit` and `os.abort`. Modules may keep a reference to it, so it can be switched off."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self.is_active = True

    def exit(self, status: int) -> NoReturn:
        if self.is_active and os.getpid() == self._process:  # child processes may end
            raise ProcessExitError(f"it ends the process with os._exit({status!r})")
        _exit(status)

    def abort(self) -> NoReturn:
        if self.is_active and os.getpid() == self._process:
            raise ProcessExitError("it ends the process with os.abort()")
        _abort()


@contextmanager
def exits_refused() -> Iterator[None]:
    """Make `os._exit` and `os.abort` raise `ProcessExitError` in this process.

    >>> with exits_refused():
    ...     os._exit(3)
    Traceback (most recent call last):
    ...
    raddle.execute.process_exits.ProcessExitError: it ends the process with os._exit(3)
    """
    refusal, functions = _Refusal(), vars(os)
    before: dict[str, Any] = {name: functions[name] for name in ("_exit", "abort")}
    functions.update(_exit=refusal.exit, abort=refusal.abort)
    try:
        yield
    finally:
        functions.update(before)
        refusal.is_active = False
