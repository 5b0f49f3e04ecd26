"""Too many open files: objects that executions have left behind keep files and sockets open until they are collected.

The garbage collector is disabled during executions, and executions leave many objects behind.
"""

from __future__ import annotations

import errno
import gc
import os
from contextlib import ExitStack

_SHORTAGES = (errno.EMFILE, errno.ENFILE)
_ROOM = 16  # file descriptors that calls should be able to open


class FileShortage:
    """Notices that calls could not open files, and collects garbage before the next execution.

    >>> shortage = FileShortage()
    >>> shortage.note(OSError(errno.EMFILE, "Too many open files"))
    >>> shortage.relieve()
    """

    def __init__(self) -> None:
        self._noticed = False

    def note(self, error: BaseException) -> None:
        """Record the exception of a call."""
        self._noticed = self._noticed or is_shortage(error)

    def relieve(self) -> None:
        """Collect garbage if files are short. Call this between executions.

        Raises:
            OSError: If there are still too many open files, so that only a new process can continue.
        """
        if self._noticed:
            self._noticed = False
            gc.collect()
            _require_room()


def is_shortage(error: BaseException) -> bool:
    """Return whether an exception says that there are too many open files."""
    return type(error) is OSError and error.errno in _SHORTAGES


def _require_room() -> None:
    with ExitStack() as stack:
        for _ in range(_ROOM):
            stack.callback(os.close, os.open(os.devnull, os.O_RDONLY))
