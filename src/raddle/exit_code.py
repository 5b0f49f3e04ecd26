"""Exit codes of the commands."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of all commands. `raddle run` exits with the exit code of the program."""

    SUCCESS = 0
    FINDING = 1
    INTERRUPTED = 2
    INTERNAL_ERROR = 3
    USAGE = 4
    NOTHING_TO_DO = 5
    BELOW_THRESHOLD = 6
