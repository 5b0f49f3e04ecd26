"""What is known about probed functions: their names, and how those that are methods get at their object."""

from __future__ import annotations

from types import FrameType
from typing import Any

from raddle import env
from raddle.inspection import mro, name_of
from raddle.instrument.model.receivers import CONSTRUCTORS
from raddle.site import SiteTable
from raddle.static_model import class_and_method, is_public


class FunctionTable:
    """By the site at which a function is entered."""

    def __init__(self, table: SiteTable) -> None:
        self._table = table
        self.receivers: dict[int, str] = {}  # the first parameter of a public method or constructor; "" for others
        self.constructors: set[int] = set()
        self._names: dict[int, str] = {}
        self._owners: dict[int, str] = {}
        self._verdicts: dict[tuple[int, int], tuple[type, bool]] = {}  # by id of a class, which is kept alive

    def introduce(self, site: int, frame: FrameType) -> str:
        """The name of the parameter that gets the object whose method this is, if that is to be told."""
        around, name = class_and_method(self._table[site].function) or ("", "")
        code = frame.f_code
        self._owners[site] = around.rpartition(".")[2]
        makes = name in CONSTRUCTORS and name != "__new__"
        if makes:
            self.constructors.add(site)
        wanted = makes or (bool(around) and is_public(name))  # others are nobody's business
        self.receivers[site] = code.co_varnames[0] if wanted and code.co_argcount else ""
        return self.receivers[site]

    def receiver(self, site: int, parameter: str, frame: FrameType) -> Any:
        """The object whose method begins; None where the first argument is something else.

        A frame that keeps its locals would keep the arguments alive, so they are cleared at once. That can be done only
        before the function has called `locals()`, which returns the same dictionary.
        """
        found = frame.f_locals
        receiver = found.get(parameter)
        if env.FRAMES_KEEP_THEIR_LOCALS:
            found.clear()
        cls = type(receiver)
        verdict = self._verdicts.get((site, id(cls)))
        if verdict is None:
            owner = self._owners[site]
            verdict = self._verdicts[site, id(cls)] = cls, any(name_of(kind) == owner for kind in mro(cls))
        return receiver if verdict[1] else None

    def name(self, site: int) -> str:
        """As threads are told apart by it."""
        name = self._names.get(site)
        if name is None:
            where = self._table[site]
            name = self._names[site] = f"{where.file}:{where.function}"
        return name
