"""Recognizes primitives that the standard library creates as parts of other primitives.

Locks and conditions that `threading`, `queue` and `concurrent.futures` create for their own use are not recorded, since
the primitives built from them are recorded as a whole. Other modules of the standard library count as part of the
program. Their locks order the accesses of threads, so these locks must be recorded.
"""

from __future__ import annotations

import concurrent.futures.thread
import os
import queue
import sys
import threading
from types import CodeType, FrameType

from raddle.checks.crash import is_raddle_file
from raddle.threads.data_model.identity import first_argument

_CONDITION: CodeType = threading.Condition.__init__.__code__
# Functions of `threading` that create a lock on behalf of their caller. Such a lock must be recorded, because no other
# recorded operation orders the accesses that it guards.
_ON_BEHALF_OF_CALLER = frozenset(
    {
        "Condition.__init__",
        "serialize_iterator.__init__",
        "synchronized_iterator.<locals>.inner",
        "_concurrent_tee.__init__",
        "concurrent_tee",
    }
)
_POOL: CodeType = concurrent.futures.thread.ThreadPoolExecutor.__init__.__code__
_INTERNAL_FILES = frozenset(
    {
        _CONDITION.co_filename,
        queue.Queue.__init__.__code__.co_filename,
        *(os.path.join(os.path.dirname(_POOL.co_filename), name) for name in ("_base.py", "thread.py", "process.py")),
    }
)


def is_made_internally(obj: object = None) -> bool:
    """Return whether the running code creates a primitive as a part of another primitive.

    `obj` is the primitive being created, if it already exists. Frames of its own constructors are skipped. Frames of
    the functions in `_ON_BEHALF_OF_CALLER` are skipped too, because their callers count as the creators.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        on_behalf = code.co_qualname in _ON_BEHALF_OF_CALLER and code.co_filename == _CONDITION.co_filename
        if not on_behalf and not is_raddle_file(code.co_filename):
            if code.co_filename not in _INTERNAL_FILES:
                return code.co_filename.startswith("<frozen importlib")
            if code.co_name != "__init__" or obj is None or first_argument(frame) is not obj:
                return True
        frame = frame.f_back
    return False
