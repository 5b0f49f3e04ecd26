"""Finds the program line that creates an object, by searching the stack.

An object is named by its class and by "the top of the stack (excluding calls to constructors) when the object is
created" (Křena, Letko and Vojnar, section 4). In Python, constructors are `__init__`, `__new__`, `__post_init__` and
the `__call__` of a metaclass. Code without probes is skipped, too: an object created by a library is attributed to the
line that calls the library.
"""

from __future__ import annotations

import sys
from types import FrameType

from raddle.checks.crash import is_raddle_file
from raddle.instrument.model.receivers import CONSTRUCTORS
from raddle.site import SiteTable
from raddle.threads.data_model.identity import first_argument, is_stdlib


class Places:
    """Finds the program lines that create objects."""

    __slots__ = ("_skipped", "_table")

    def __init__(self, table: SiteTable) -> None:
        self._table = table
        # Maps a file name to True for files of raddle and Python, and for generated code.
        self._skipped: dict[str, bool] = {}

    def label(self, path: str) -> str:
        """Return the name that sites use for a file."""
        return self._table.label(path)

    def creation_line(self, frame: FrameType | None = None) -> str:
        """Return the line that is creating an object. The search starts at `frame`, which defaults to the caller's
        frame.

        If no code on the stack has probes, return the innermost line outside Python itself, or "" if there is none.

        >>> table = SiteTable()
        >>> table.add(1 << 16, (), file="shop.py", path="/home/me/shop.py")
        >>> names = {"places": Places(table)}
        >>> source = "class Cart:\\n def __init__(self): self.made = places.creation_line()\\ncart = Cart()"
        >>> exec(compile(source, "/home/me/shop.py", "exec"), names)
        >>> names["cart"].made
        'shop.py:3'
        """
        frame = frame or sys._getframe(1)
        labels, skipped = self._table.labels, self._skipped
        outside = ""
        while frame is not None:
            code = frame.f_code
            name, filename = code.co_name, code.co_filename
            if name not in CONSTRUCTORS and not (name == "__call__" and _is_of_metaclass(frame)):
                label = labels.get(filename)
                if label is not None:
                    return f"{label}:{frame.f_lineno}"
                if not outside and not (skipped[filename] if filename in skipped else self._is_skipped(filename)):
                    outside = f"{self._table.label(filename)}:{frame.f_lineno}"
            frame = frame.f_back
        return outside

    def creation_line_of(self, obj: object) -> str:
        """Return the line that is creating an object; "" if no constructor of the object is running."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_name in CONSTRUCTORS and first_argument(frame) is obj:
                return self.creation_line(frame)
            frame = frame.f_back
        return ""

    def _is_skipped(self, filename: str) -> bool:
        # Code that `dataclass` and similar decorators generate has no file.
        is_skipped = self._skipped[filename] = (
            is_raddle_file(filename) or is_stdlib(filename) or filename.startswith("<")
        )
        return is_skipped


def _is_of_metaclass(frame: FrameType) -> bool:
    return issubclass(type(first_argument(frame)), type)
