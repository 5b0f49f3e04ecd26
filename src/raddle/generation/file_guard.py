"""Protects the user's files: generated calls can change files only in a temporary folder.

The guard is an audit hook, which Python calls before it changes a file, so it does not depend on how the class under
test names the file. Programs that the class starts and libraries in C are not audited.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

REFUSED = "raddle generate changes no files outside its temporary folder"
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_DEVICES = f"{os.sep}dev"
# The positions of the changed paths among the arguments of an event, each with that of the folder's descriptor; None if
# there is no descriptor.
_CHANGES: Mapping[str, tuple[tuple[int, int | None], ...]] = {
    "os.remove": ((0, 1),),
    "os.rmdir": ((0, 1),),
    "os.mkdir": ((0, 2),),
    "os.rename": ((0, 2), (1, 3)),
    "os.link": ((1, 3),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, None),),
    "os.chmod": ((0, 2),),
    "os.chown": ((0, 3),),
    "os.utime": ((0, 3),),
    "os.setxattr": ((0, None),),
    "os.removexattr": ((0, None),),
    "os.chflags": ((0, None),),
    "shutil.rmtree": ((0, 1),),
}
_FOLLOWS = frozenset({"open", "os.truncate", "sqlite3.connect"})  # events about what a symbolic link names


class FileGuard:
    """Refuses changes outside some folders. A guard cannot be removed from its process."""

    def __init__(self, *folders: str) -> None:
        self._folders = tuple(os.path.normcase(os.path.realpath(folder)) for folder in folders)
        self.saw_relative_path = False  # whether a file in the working directory was changed
        self.refused = ""  # the first path outside the folder
        self._checks: dict[str, Callable[[tuple[Any, ...]], None]] = {
            "open": self._check_open,
            "sqlite3.connect": self._check_database,
        }

    def install(self) -> None:
        """Protect the files from now on."""
        sys.addaudithook(self.check)

    def check(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Raise `PermissionError` if an event is a change outside the folder."""
        changes = _CHANGES.get(event)
        if changes is not None:
            for path, descriptor in changes:
                folder = arguments[descriptor] if descriptor is not None and descriptor < len(arguments) else -1
                self._check_path(event, arguments[path], folder)
        elif event in self._checks:
            self._checks[event](arguments)

    def _check_open(self, arguments: tuple[Any, ...]) -> None:
        path, _, flags = arguments
        if isinstance(flags, int) and flags & _WRITES:
            self._check_path("open", path, -1)

    def _check_database(self, arguments: tuple[Any, ...]) -> None:
        path = arguments[0]
        if isinstance(path, str) and path.startswith("file:"):
            path = path.removeprefix("file:").partition("?")[0]
        if path and path not in (":memory:", b":memory:"):
            self._check_path("sqlite3.connect", path, -1)

    def _check_path(self, event: str, path: Any, descriptor: Any) -> None:
        if path is None or isinstance(path, int):  # an open file, which was checked when it was opened
            return
        text = os.fsdecode(path)
        if not os.path.isabs(text):
            self.saw_relative_path = True
            base = _folder_of(descriptor)
            if base is None:
                return
            text = os.path.join(base, text)
        parent, name = os.path.split(text)
        # The last part of the path may be a symbolic link, which is removed or renamed itself.
        follows = event in _FOLLOWS or name in ("", os.curdir, os.pardir)
        real = os.path.realpath(text) if follows else os.path.join(os.path.realpath(parent), name)
        real = os.path.normcase(real)
        if not any(real == folder or real.startswith(folder + os.sep) for folder in (*self._folders, _DEVICES)):
            self.refused = self.refused or text
            raise PermissionError(errno.EACCES, REFUSED, text)


def _folder_of(descriptor: Any) -> str | None:
    """Return the folder of a descriptor, or the working directory for -1; None if it is not known."""
    if not isinstance(descriptor, int) or descriptor < 0:
        return os.getcwd()
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")
    except OSError:
        return None
