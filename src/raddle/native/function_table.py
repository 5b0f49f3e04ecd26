"""A table of instrumented functions: their names and, for methods, how to find the receiver."""

from __future__ import annotations

from types import FrameType
from typing import Any

from raddle import env
from raddle.inspection import mro, name_of
from raddle.instrument.model.receivers import CONSTRUCTORS
from raddle.site import SiteTable
from raddle.static_model import class_and_method, is_public


class FunctionTable:
    """Information about functions, keyed by the site at which a function is entered."""

    def __init__(self, table: SiteTable) -> None:
        self._table = table
        # Name of the first parameter of a public method or constructor; "" for other functions.
        self.receivers: dict[int, str] = {}
        self.constructors: set[int] = set()
        self._names: dict[int, str] = {}
        self._owners: dict[int, str] = {}
        # Maps a site and a class id to the class (kept alive) and to whether the function is a method of the class.
        self._is_method_of: dict[tuple[int, int], tuple[type, bool]] = {}

    def add(self, site: int, frame: FrameType) -> str:
        """Add the function that runs in this frame.

        Return the name of its receiver parameter, or "" if no receiver is needed.
        """
        class_name, name = class_and_method(self._table[site].function) or ("", "")
        code = frame.f_code
        self._owners[site] = class_name.rpartition(".")[2]
        is_constructor = name in CONSTRUCTORS and name != "__new__"
        if is_constructor:
            self.constructors.add(site)
        is_needed = is_constructor or (bool(class_name) and is_public(name))
        self.receivers[site] = code.co_varnames[0] if is_needed and code.co_argcount else ""
        return self.receivers[site]

    def receiver(self, site: int, parameter: str, frame: FrameType) -> Any:
        """Return the object whose method is being entered; None if the first argument is not an instance of the class.

        On interpreters where a frame keeps its `f_locals`, this dictionary would keep the arguments alive, so it is
        cleared immediately. That is safe only before the function calls `locals()`, which returns the same dictionary.
        """
        local_variables = frame.f_locals
        receiver = local_variables.get(parameter)
        if env.FRAMES_KEEP_THEIR_LOCALS:
            local_variables.clear()
        cls = type(receiver)
        is_method = self._is_method_of.get((site, id(cls)))
        if is_method is None:
            owner = self._owners[site]
            is_method = self._is_method_of[site, id(cls)] = cls, any(name_of(kind) == owner for kind in mro(cls))
        return receiver if is_method[1] else None

    def name(self, site: int) -> str:
        """Return the file and name of a function. Threads are distinguished by the functions that they run."""
        name = self._names.get(site)
        if name is None:
            where = self._table[site]
            name = self._names[site] = f"{where.file}:{where.function}"
        return name
