"""What things are called in every execution: containers, threads, and the files that are Python's own."""

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
    """Whether a file is part of Python itself."""
    return has_stdlib_path(filename) or filename.startswith("<frozen")


def has_stdlib_path(filename: str) -> bool:
    return filename.startswith(_STDLIB) and not filename.startswith(_SITE_PACKAGES)


def calling_frame() -> types.FrameType | None:
    """Return the innermost frame that does not run code of raddle."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(RADDLE_FOLDER):
        frame = frame.f_back
    return frame


def name_of_content(container: type, written: str) -> str:
    """What the source calls a container where its content is touched; "" where it does not say.

    >>> name_of_content(list, "self.items.append"), name_of_content(list, "box[]"), name_of_content(list, "json.dumps")
    ('items', 'box', '')
    """
    if written.endswith(CONTENT):
        path = written[: -len(CONTENT)]
    else:
        path, _, method = written.rpartition(".")
        if (
            path == method or class_attribute(container, method, MISSING) is MISSING
        ):  # `copy.copy(items)`, `json.dumps(items)`
            return ""
    return path.rpartition(".")[2]


def first_argument(frame: types.FrameType) -> Any:
    """What a function was given first, None if nothing."""
    code = frame.f_code
    return frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None


def thread_type(thread: threading.Thread | None, run: Any) -> str:
    """The class of a thread, or the function that it runs."""
    if thread is not None and type(thread) is not threading.Thread:
        return qualname_of(type(thread))
    target = None if thread is None else own_fields(thread).get("_target")
    return function_name(run if target is None else target)
