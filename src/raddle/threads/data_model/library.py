"""Detects operations that the standard library performs on its own internal primitives.

Pools, futures, barriers and timers each count as one resource, in controlled and native executions. Their internal
locks are implementation details, so operations on these locks are not attributed to the line that calls the library.
"""

from __future__ import annotations

import concurrent.futures._base
import concurrent.futures.thread
import threading

from raddle.threads.data_model.identity import calling_frame

_FILES = frozenset({concurrent.futures._base.__file__, concurrent.futures.thread.__file__})
_THREADING = threading.__file__
_CLASSES = ("Barrier.", "Timer.")  # classes with internal primitives; the others in `threading` have twins


def called_by_library() -> bool:
    """Return whether the innermost frame outside raddle belongs to a pool, a future, a barrier or a timer.

    Frames of `Condition` methods are skipped, because these methods call each other, as `notify_all` does.
    """
    frame = calling_frame()
    while frame is not None and frame.f_code.co_filename == _THREADING:
        name = frame.f_code.co_qualname
        if not name.startswith("Condition."):
            return name.startswith(_CLASSES)
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename in _FILES
