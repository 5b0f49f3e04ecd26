"""The sandbox: a temporary folder in which generated calls run, so that relative paths do not name the user's files.

Errors in destructors are not printed while it is active: objects whose constructor has failed cause many of them.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from typing import Any


class Sandbox:
    """A context manager whose temporary folder is the working directory. The folder is emptied before each execution.

    >>> before = os.getcwd()
    >>> with Sandbox() as sandbox:
    ...     open("a", "w").close()
    ...     sandbox.empty()
    ...     os.listdir(sandbox.folder), os.path.samefile(os.getcwd(), sandbox.folder)
    ([], True)
    >>> os.getcwd() == before
    True
    """

    def __init__(self) -> None:
        self.folder = ""
        self._previous = ""
        self._path: list[str] = []
        self._hook = sys.unraisablehook

    def __enter__(self) -> Sandbox:
        self._previous = os.getcwd()
        self._path = list(sys.path)
        # Imports must still find modules in the previous working directory.
        sys.path[:] = [os.path.abspath(entry) for entry in sys.path]
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="raddle-"))
        os.chdir(self.folder)
        self._hook, sys.unraisablehook = sys.unraisablehook, lambda unraisable: None
        return self

    def __exit__(self, *exc: Any) -> None:
        sys.unraisablehook = self._hook
        os.chdir(self._previous)
        sys.path[:] = self._path
        shutil.rmtree(self.folder, ignore_errors=True)

    def empty(self) -> None:
        """Delete everything in the folder, and make the folder the working directory again."""
        os.makedirs(self.folder, exist_ok=True)  # the code under test may have deleted it
        for entry in os.scandir(self.folder):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path, ignore_errors=True)
            else:
                os.unlink(entry.path)
        os.chdir(self.folder)
