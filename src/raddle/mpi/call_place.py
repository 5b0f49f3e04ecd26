"""The place of an MPI call in the program."""

from __future__ import annotations

import os
import sys

from raddle.checks.crash import is_raddle_file
from raddle.place import Place

Called = tuple[str, int]  # file and line; a tuple, because every send records one


def called_at() -> Called | None:
    """Return where the program called the running function of raddle."""
    frame = sys._getframe(1)
    while is_raddle_file(frame.f_code.co_filename):
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def at(called: Called | None) -> str:
    """Return the place for a message, with " at " in front; "" if it is not known."""
    return "" if called is None else f" at {Place(os.path.basename(called[0]), called[1])}"
