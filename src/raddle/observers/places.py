"""Places: the line of user code that the running thread has reached."""

from __future__ import annotations

import sys
import types

from raddle.checks.crash import is_raddle_file
from raddle.engine.carrier import Carrier
from raddle.place import Place
from raddle.site import SiteTable
from raddle.threads.data_model.identity import has_stdlib_path


class Places:
    """Finds places, and names them in the form used in schedules and stories."""

    def __init__(self, table: SiteTable) -> None:
        self._table = table

    def of_operation(self, me: Carrier) -> tuple[Place, str]:
        """Return the line that the running thread has reached, and the text that stands for it in schedules."""
        if me.kind.is_access:
            site = self._table[me.site]
            return Place(site.file, site.line), site.place
        place = self.of_caller()
        return place, f"{place} {me.kind}"

    def of_caller(self) -> Place:
        """Return the line of the innermost frame that belongs neither to raddle nor to the standard library."""
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None:
            filename = frame.f_code.co_filename
            if not is_raddle_file(filename) and not has_stdlib_path(filename):
                return Place(self._table.label(filename), frame.f_lineno)
            frame = frame.f_back
        return Place("stdlib", 0)  # for example in a pool's worker, whose lines differ between Python versions

    def is_call(self, site: int) -> bool:
        """Return whether the operation at a site is a call."""
        return self._table[site].kind == "call"
