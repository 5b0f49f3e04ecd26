"""What the standard library does for its own purposes with primitives that it has inside.

A pool, a future, a barrier and a timer are resources as a whole, in both modes. The locks that they are made of are
nothing that the program knows of: what is done to them is not attributed to the line that calls the library.
"""

from __future__ import annotations

import concurrent.futures._base
import concurrent.futures.thread
import threading

from raddle.threads.data_model.identity import calling_frame

_FILES = frozenset({concurrent.futures._base.__file__, concurrent.futures.thread.__file__})
_THREADING = threading.__file__
_CLASSES = ("Barrier.", "Timer.")  # other classes of `threading` have twins


def called_by_library() -> bool:
    """Return whether the innermost code outside of raddle is that of a pool, a future, a barrier or a timer.

    Methods of conditions that call others of their own, as `notify_all` does, stand for their callers.
    """
    frame = calling_frame()
    while frame is not None and frame.f_code.co_filename == _THREADING:
        name = frame.f_code.co_qualname
        if not name.startswith("Condition."):
            return name.startswith(_CLASSES)
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename in _FILES
