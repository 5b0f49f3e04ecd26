"""Where objects are made: the line of the program that calls a class, found on the stack while the object is new.

An object is named by its class and by "the top of the stack (excluding calls to constructors) when the object is
created" (Křena, Letko and Vojnar, section 4). In Python, constructors are `__init__`, `__new__`, `__post_init__` and
the `__call__` of a metaclass. Code without probes is passed over, too: what a library makes, it makes on behalf of the
line that calls it.
"""

from __future__ import annotations

import sys
from types import FrameType

from raddle.checks.crash import is_raddle_file
from raddle.instrument.model.receivers import CONSTRUCTORS
from raddle.site import SiteTable
from raddle.threads.data_model.identity import first_argument, is_stdlib


class Places:
    """Lines of the program, by the frames that run them."""

    __slots__ = ("_passed", "_table")

    def __init__(self, table: SiteTable) -> None:
        self._table = table
        self._passed: dict[str, bool] = {}  # by file name: raddle's own, Python's, or generated

    def label(self, path: str) -> str:
        """Return how sites name a file."""
        return self._table.label(path)

    def creation_line(self, frame: FrameType | None = None) -> str:
        """Return the line that is making an object; `frame` is the innermost that can be doing it.

        Without a line that has probes, it is the innermost one outside of Python itself; "" if there is none.

        >>> table = SiteTable()
        >>> table.add(1 << 16, (), file="shop.py", path="/home/me/shop.py")
        >>> names = {"places": Places(table)}
        >>> source = "class Cart:\\n def __init__(self): self.made = places.creation_line()\\ncart = Cart()"
        >>> exec(compile(source, "/home/me/shop.py", "exec"), names)
        >>> names["cart"].made
        'shop.py:3'
        """
        frame = frame or sys._getframe(1)
        labels, passed = self._table.labels, self._passed
        outside = ""
        while frame is not None:
            code = frame.f_code
            name, filename = code.co_name, code.co_filename
            if name not in CONSTRUCTORS and not (name == "__call__" and _is_of_metaclass(frame)):
                label = labels.get(filename)
                if label is not None:
                    return f"{label}:{frame.f_lineno}"
                if not outside and not (passed[filename] if filename in passed else self._is_passed(filename)):
                    outside = f"{self._table.label(filename)}:{frame.f_lineno}"
            frame = frame.f_back
        return outside

    def creation_line_of(self, obj: object) -> str:
        """Return the line that is making this object, if a constructor of it is running; else ""."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_name in CONSTRUCTORS and first_argument(frame) is obj:
                return self.creation_line(frame)
            frame = frame.f_back
        return ""

    def _is_passed(self, filename: str) -> bool:
        # What `dataclass` and its like generate has no file.
        known = self._passed[filename] = is_raddle_file(filename) or is_stdlib(filename) or filename.startswith("<")
        return known


def _is_of_metaclass(frame: FrameType) -> bool:
    return issubclass(type(first_argument(frame)), type)
