"""Temporary folders that a later run deletes if this process is killed.

Each folder contains a locked file. The operating system releases the lock when the process and its children have ended,
so a folder whose lock is free is abandoned. Process ids would not show that: they are reused, and containers that
share a folder do not see each other's processes.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX = "raddle-generate-"
_LOCK = "owner.lock"


class OwnedFolder:
    """A temporary folder of this process, as a context manager.

    >>> with OwnedFolder() as folder:
    ...     _ = delete_abandoned()  # other processes may have left some
    ...     os.listdir(folder.work)
    []
    >>> os.path.exists(folder.work)
    False
    """

    def __init__(self) -> None:
        self._root = Path(os.path.realpath(tempfile.mkdtemp(prefix=PREFIX)))
        self._lock: int | None = os.open(self._root / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self.work = self._root / "work"  # the folder to use
        self.work.mkdir()

    def __enter__(self) -> OwnedFolder:
        return self

    def __exit__(self, *exc: object) -> None:
        self.delete()

    def delete(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self._root, ignore_errors=True)
        if self._lock is not None:
            with suppress(OSError):
                os.close(self._lock)
            self._lock = None


def delete_abandoned() -> int:
    """Delete the folders of this user whose owners have ended; return their number."""
    if fcntl is None:
        return 0
    deleted = 0
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # deleted meanwhile, or still in use
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
                deleted += 1
            finally:
                os.close(lock)
    return deleted
