"""Who is making a primitive: the program, or the standard library for the inside of another one.

What `threading`, `queue` and `concurrent.futures` use inside stays real: their own primitives are watched as a
whole. Other modules of the standard library count as the program: what their threads share is in order by their
locks, and that has to be seen.
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
# Functions of `threading` that make a lock for their caller: its accesses are ordered by nothing else that is recorded.
_PASSING = frozenset(
    {
        "Condition.__init__",
        "serialize_iterator.__init__",
        "synchronized_iterator.<locals>.inner",
        "_concurrent_tee.__init__",
        "concurrent_tee",
    }
)
_POOL: CodeType = concurrent.futures.thread.ThreadPoolExecutor.__init__.__code__
_INSIDE = frozenset(
    {
        _CONDITION.co_filename,
        queue.Queue.__init__.__code__.co_filename,
        *(os.path.join(os.path.dirname(_POOL.co_filename), name) for name in ("_base.py", "thread.py", "process.py")),
    }
)


def is_made_internally(obj: object = None) -> bool:
    """Is a primitive being made for the inside of another one?

    Its own constructors do not count. The caller of those in `_PASSING` counts as the maker.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        passes_on = code.co_qualname in _PASSING and code.co_filename == _CONDITION.co_filename
        if not passes_on and not is_raddle_file(code.co_filename):
            if code.co_filename not in _INSIDE:
                return code.co_filename.startswith("<frozen importlib")
            if code.co_name != "__init__" or obj is None or first_argument(frame) is not obj:
                return True
        frame = frame.f_back
    return False
