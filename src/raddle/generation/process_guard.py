"""Protects the user's processes: generated calls start no programs, and send no signals to processes of others.

A started program could change any file, because it has no guards. A number that was guessed for a process could be the
number of any process of the user, and 0 and -1 stand for whole groups of them.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

REFUSED = "raddle generate starts no programs and sends no signals to other processes"
# The events before a program starts. Most of them name the program first.
_STARTS = frozenset({
    "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "os.startfile/2", "os.system", "pty.spawn",
    "subprocess.Popen", "webbrowser.open", "_winapi.CreateProcess",
})  # fmt: skip
_SIGNALS = frozenset({"os.kill", "os.killpg"})


class ProcessGuard:
    """Refuses to start programs and to send signals to other processes. A guard cannot be removed from its process.

    Forks are allowed, because the guards of a process also hold in its forks.
    """

    def __init__(self) -> None:
        self.refused = ""  # the first thing that was refused, such as "run rm"

    def install(self) -> None:
        """Protect the processes from now on."""
        sys.addaudithook(self.check)
        # `multiprocessing` starts interpreters with this function, which is not audited.
        with suppress(ImportError):
            vars(import_module("_posixsubprocess"))["fork_exec"] = self._refuse_start

    def check(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Raise `PermissionError` if an event starts a program, or sends a signal to another process."""
        if event in _STARTS:
            # The mode comes first for os.spawn.
            self._refuse(f"run {_text(arguments[1 if event == 'os.spawn' else 0])}")
        elif event in _SIGNALS and not _is_harmless(event, arguments[0]):
            self._refuse(f"send signal {arguments[1]} to process {arguments[0]}")

    def _refuse_start(self, *arguments: Any) -> NoReturn:
        self._refuse("run another interpreter")

    def _refuse(self, what: str) -> NoReturn:
        self.refused = self.refused or what
        raise PermissionError(errno.EACCES, f"{REFUSED} ({what})")


def _text(program: Any) -> str:
    return os.fsdecode(program) if isinstance(program, str | bytes | os.PathLike) else str(program)


def _is_harmless(event: str, number: int) -> bool:
    """Return whether a signal reaches only this process or one of its children."""
    return event == "os.kill" and number > 0 and (number == os.getpid() or _is_child(number))


def _is_child(number: int) -> bool:
    try:
        os.waitid(os.P_PID, number, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except (AttributeError, OSError):  # not every system has waitid
        return False
    return True
