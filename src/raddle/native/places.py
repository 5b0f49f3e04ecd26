"""Where objects are made: the line that calls the constructor, seen from within.

The rule is that of `raddle.threads.data_model.identity`. Facts about files are cached, as there are many objects.
"""

from __future__ import annotations

import sys
from types import FrameType

from raddle.checks.crash import is_ours
from raddle.instrument.receivers import CONSTRUCTORS
from raddle.site import SiteTable
from raddle.threads.data_model.identity import is_stdlib


class Places:
    """Lines of the program, by the frames that run them."""

    def __init__(self, table: SiteTable) -> None:
        self._table = table
        self._ours: dict[str, bool] = {}  # by file name
        self._passed: dict[str, bool] = {}  # ours, or the standard library's

    def label(self, path: str) -> str:
        """How sites name a file."""
        return self._table.label(path)

    def made_by(self, constructor: FrameType) -> str:
        """The line that led to a constructor: the innermost one that is in none."""
        frame = constructor.f_back
        while frame is not None:
            code = frame.f_code
            if code.co_name not in CONSTRUCTORS and not self._is_passed(code.co_filename):
                return f"{self._table.label(code.co_filename)}:{frame.f_lineno}"
            frame = frame.f_back
        return ""

    def made_in_new(self) -> str:
        """The line that is making an object, if the innermost code of the program is a `__new__`; else ""."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and self._is_ours(frame.f_code.co_filename):
            frame = frame.f_back
        return self.made_by(frame) if frame is not None and frame.f_code.co_name == "__new__" else ""

    def _is_ours(self, filename: str) -> bool:
        known = self._ours.get(filename)
        if known is None:
            known = self._ours[filename] = is_ours(filename)
        return known

    def _is_passed(self, filename: str) -> bool:
        known = self._passed.get(filename)
        if known is None:
            # What `dataclass` and its like generate has no file.
            known = is_ours(filename) or is_stdlib(filename) or filename.startswith("<")
            self._passed[filename] = known
        return known
