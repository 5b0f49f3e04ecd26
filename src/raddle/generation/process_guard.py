"""Protects other processes and the system: generated calls start no programs and send signals to no other processes.

A class that ends the processes with given numbers would otherwise get numbers such as -1, which stands for all
processes of the user. Like the file guard, this guard is an audit hook. Forked children inherit it.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import Any

REFUSED = "raddle generate starts no programs and sends no signals to other processes"
_STARTS = frozenset(
    {"os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "os.system", "pty.spawn", "subprocess.Popen"}
)
_SIGNALS = frozenset({"os.kill", "os.killpg"})


class ProcessGuard:
    """Refuses to start programs and to signal processes other than this one and its children.

    A guard cannot be removed from its process.
    """

    def __init__(self) -> None:
        self.refused = ""  # the first event that was refused, such as "os.system"

    def install(self) -> None:
        """Protect other processes from now on."""
        sys.addaudithook(self.check)

    def check(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Raise `PermissionError` if an event would start a program or signal another process.

        >>> ProcessGuard().check("os.kill", (os.getpid(), 0))
        >>> ProcessGuard().check("os.system", ("ls",))
        Traceback (most recent call last):
        ...
        PermissionError: [Errno 13] raddle generate starts no programs and sends no signals to other processes
        """
        if event in _STARTS or (event in _SIGNALS and not _is_own(event, arguments[0])):
            self.refused = self.refused or event
            raise PermissionError(errno.EACCES, REFUSED)


def _is_own(event: str, number: Any) -> bool:
    """Return whether a number stands for this process, or for a child or its group."""
    if not isinstance(number, int) or number <= 1:  # all processes, or a group
        return False
    if number == os.getpid():
        return event == "os.kill"
    try:
        with open(f"/proc/{number}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1]) == os.getpid()
    except FileNotFoundError:
        return not os.path.isdir("/proc/self")  # without this folder, children cannot be told apart
    except (OSError, ValueError, IndexError):
        return False
