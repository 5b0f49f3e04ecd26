"""Places: where the running thread stands, in the user's code."""

from __future__ import annotations

import sys
import types

from raddle.checks.crash import is_raddle_file
from raddle.engine.carrier import Carrier
from raddle.place import Place
from raddle.site import SiteTable
from raddle.threads.data_model.identity import has_stdlib_path


class Places:
    """Finds and names places, as schedules and stories do."""

    def __init__(self, table: SiteTable) -> None:
        self._table = table

    def of_operation(self, me: Carrier) -> tuple[Place, str]:
        """Return the line where the running thread stands, and how a schedule names that."""
        if me.kind.is_access:
            site = self._table[me.site]
            return Place(site.file, site.line), site.place
        place = self.of_caller()
        return place, f"{place} {me.kind}"

    def of_caller(self) -> Place:
        """Return the line of the innermost running code of the user: not raddle's, nor the standard library's."""
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None:
            filename = frame.f_code.co_filename
            if not is_raddle_file(filename) and not has_stdlib_path(filename):
                return Place(self._table.label(filename), frame.f_lineno)
            frame = frame.f_back
        return Place("stdlib", 0)  # a pool's worker between two tasks, say: its lines differ between versions of Python

    def is_call(self, site: int) -> bool:
        """Return whether a site looks up a method that is called."""
        return self._table[site].kind == "call"
