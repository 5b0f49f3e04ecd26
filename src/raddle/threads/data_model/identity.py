"""What things are called in every execution: where an object was made, what a thread is, whose a variable is."""

from __future__ import annotations

import functools
import os
import sys
import threading
import types
from typing import Any

from raddle.checks.crash import is_ours
from raddle.inspection import MISSING, function_name, in_class, own_fields, qualname_of
from raddle.instrument.receivers import CONSTRUCTORS
from raddle.operation import CONTENT
from raddle.site import SiteTable

_STDLIB = os.path.dirname(os.__file__) + os.sep
_SITE_PACKAGES = _STDLIB + "site-packages"


def is_stdlib(filename: str) -> bool:
    """Whether a file is part of Python itself."""
    return has_stdlib_path(filename) or filename.startswith("<frozen")


def has_stdlib_path(filename: str) -> bool:
    return filename.startswith(_STDLIB) and not filename.startswith(_SITE_PACKAGES)


@functools.lru_cache(maxsize=4096)
def _is_users(filename: str) -> bool:
    return not is_ours(filename) and not is_stdlib(filename)


def place_of_creation(table: SiteTable) -> str:
    """Return the line that is making an object, seen from within: the innermost one that is in no constructor."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if code.co_name not in CONSTRUCTORS and _is_users(code.co_filename):
            return f"{table.label(code.co_filename)}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def calling_frame() -> types.FrameType | None:
    """Return the innermost frame that does not run code of raddle."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def in_its_constructor(obj: object) -> bool:
    """Whether the innermost code outside of raddle is a constructor of this very object."""
    frame = calling_frame()
    if frame is None or frame.f_code.co_name not in CONSTRUCTORS:
        return False
    return frame.f_code.co_name == "__new__" or first_argument(frame) is obj


def name_of_content(container: type, written: str) -> str:
    """What the source calls a container where its content is touched; "" where it does not say.

    >>> name_of_content(list, "self.items.append"), name_of_content(list, "box[]"), name_of_content(list, "json.dumps")
    ('items', 'box', '')
    """
    if written.endswith(CONTENT):
        path = written[: -len(CONTENT)]
    else:
        path, _, method = written.rpartition(".")
        if path == method or in_class(container, method, MISSING) is MISSING:  # `copy.copy(items)`, `json.dumps(items)`
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
