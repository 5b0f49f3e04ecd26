"""Names containers and threads in the same way in every execution, and recognizes the files of Python itself."""

from __future__ import annotations

import os
import sys
import threading
import types
from typing import Any

from raddle.checks.crash import RADDLE_FOLDER
from raddle.inspection import MISSING, class_attribute, function_name, own_fields, qualname_of
from raddle.operation import CONTENT

_STDLIB = os.path.dirname(os.__file__) + os.sep
_SITE_PACKAGES = _STDLIB + "site-packages"


def is_stdlib(filename: str) -> bool:
    """Return whether a file is part of Python itself."""
    return has_stdlib_path(filename) or filename.startswith("<frozen")


def has_stdlib_path(filename: str) -> bool:
    return filename.startswith(_STDLIB) and not filename.startswith(_SITE_PACKAGES)


def calling_frame() -> types.FrameType | None:
    """Return the innermost frame that does not run raddle's code."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(RADDLE_FOLDER):
        frame = frame.f_back
    return frame


def name_of_content(container: type, expression: str) -> str:
    """Return the name of the container that an expression accesses, or "" if the expression does not name it.

    >>> name_of_content(list, "self.items.append"), name_of_content(list, "box[]"), name_of_content(list, "json.dumps")
    ('items', 'box', '')
    """
    if expression.endswith(CONTENT):
        path = expression[: -len(CONTENT)]
    else:
        path, _, method = expression.rpartition(".")
        # In `copy.copy(items)` and `json.dumps(items)`, the expression does not name the container.
        if path == method or class_attribute(container, method, MISSING) is MISSING:
            return ""
    return path.rpartition(".")[2]


def first_argument(frame: types.FrameType) -> Any:
    """Return the first argument of the function that a frame runs, or None if the function takes none."""
    code = frame.f_code
    return frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None


def thread_type(thread: threading.Thread | None, run: Any) -> str:
    """Return the name of a thread's class, or of its target function if the class is `Thread`."""
    if thread is not None and type(thread) is not threading.Thread:
        return qualname_of(type(thread))
    target = None if thread is None else own_fields(thread).get("_target")
    return function_name(run if target is None else target)
