"""Probes of the contents of containers: items, iteration, operators, and methods that read or change a content."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from raddle.native.ids.variables import VariableNumbers
from raddle.native.probes.recording import RecordingProbes
from raddle.native.recorder import Recorder
from raddle.operation import CONTENT, READ, WRITE, Kind
from raddle.threads.data_model.builtin_functions import IN_PLACE
from raddle.threads.data_model.variables import VIEW_TYPES, container_base, stores_missing_keys

__tracebackhide__ = True  # frames of this module, in what pytest shows

# Methods that read what is in the containers that they are given.
_LOOKING_INTO_ARGUMENTS = frozenset({
    "extend", "extendleft", "update", "union", "intersection", "difference", "symmetric_difference", "issubset",
    "issuperset", "isdisjoint", "intersection_update", "difference_update", "symmetric_difference_update", "join",
    "__eq__", "__add__", "__iadd__", "__or__", "__ior__",
})  # fmt: skip
_SCALARS = frozenset(map(id, (int, bool, str, float, type(None), bytes)))  # classes, by id


class Contents(RecordingProbes):
    """The content of a container is one variable, whatever the key."""

    __slots__ = ("_filling", "_first", "_kept", "bases")

    def __init__(self, recorder: Recorder, variable_numbers: VariableNumbers) -> None:
        super().__init__(recorder, variable_numbers)
        self._first = variable_numbers.content
        # By id of a class, which `_kept` keeps alive: the container without probes that it is or extends, and whether
        # looking up a missing key stores it.
        self.bases: dict[int, type | None] = dict.fromkeys(_SCALARS)
        self._filling: dict[int, bool] = {}
        self._kept: list[type] = []

    # -- probes -------------------------------------------------------------------------------------

    def getitem(self, obj: Any, key: Any, site: int) -> Any:
        value = obj[key]
        cls = type(obj)
        bases = self.bases
        if (bases[id(cls)] if id(cls) in bases else self.find_base(cls)) is None:
            return value
        try:
            number = self._entries[id(obj)][CONTENT]
        except KeyError:
            number = self._first(obj, site)
        if number >= 0:
            filling = self._filling[id(cls)]
            if filling and id(value) not in self._entries:
                self._variable_numbers.called(value)  # objects that code with probes has made are known
            steps = self._steps
            steps.append((self._local.number, WRITE if filling else READ, number, site))
            if len(steps) > self._max_steps:
                self._flush()
        return value

    def setitem(self, value: Any, obj: Any, key: Any, site: int) -> None:
        obj[key] = value
        cls = type(obj)
        bases = self.bases
        if (bases[id(cls)] if id(cls) in bases else self.find_base(cls)) is not None:
            self.record(WRITE, obj, site)

    def delitem(self, obj: Any, key: Any, site: int) -> None:
        del obj[key]
        if self.container_of(obj) is not None:
            self.record(WRITE, obj, site)

    def contains(self, key: Any, obj: Any, site: int) -> bool:
        found = key in obj
        container = self.container_of(obj)
        if container is not None:
            self.record(READ, container, site)
        return found

    def content(self, obj: Any, site: int) -> Any:
        cls = type(obj)
        bases = self.bases
        if id(cls) in bases and bases[id(cls)] is None and id(cls) not in VIEW_TYPES:
            return obj
        container = self.container_of(obj)
        if container is not None:
            self.record(READ, container, site)
        return obj

    def iterate(self, obj: Any, site: int) -> Any:
        container = self.container_of(obj)
        return obj if container is None else self.each(iter(obj), container, site)

    def inplace(self, operation: str, obj: Any, value: Any, site: int) -> Any:
        result = IN_PLACE[operation](obj, value)
        cls = type(obj)
        bases = self.bases
        if (bases[id(cls)] if id(cls) in bases else self.find_base(cls)) is not None:
            self.content(value, site)
            self.record(WRITE, obj, site)
        return result

    # -- what other probes do to contents -------------------------------------------------------------

    def record(self, kind: str, container: Any, site: int) -> None:
        """Record an access to the content of a container."""
        try:
            number = self._entries[id(container)][CONTENT]
        except KeyError:
            number = self._first(container, site)
            if number < 0:
                return
        steps = self._steps
        steps.append((self._local.number, kind, number, site))
        if len(steps) > self._max_steps:
            self._flush()

    def find_base(self, cls: type) -> type | None:
        """Return the container without probes that a class is or extends, at its first sight."""
        self._kept.append(cls)
        self._filling[id(cls)] = stores_missing_keys(cls)
        base = self.bases[id(cls)] = container_base(cls)
        return base

    def base_of(self, cls: type) -> type | None:
        """Return the container without probes that a class is or extends."""
        bases = self.bases
        return bases[id(cls)] if id(cls) in bases else self.find_base(cls)

    def container_of(self, obj: Any) -> Any:
        """Return the container whose content is read through `obj`: itself, or what it is a view of; None if none."""
        cls = type(obj)
        bases = self.bases
        if (bases[id(cls)] if id(cls) in bases else self.find_base(cls)) is not None:
            return obj
        if id(cls) in VIEW_TYPES:
            viewed = gc.get_referents(obj)
            return viewed[0] if viewed else None
        return None

    def each(self, iterator: Iterator[Any], container: Any, site: int) -> Iterator[Any]:
        """Iterate with a step for each `next`, the last one, which finds nothing, included."""
        record = self.record
        for value in iterator:
            record(READ, container, site)
            yield value
        record(READ, container, site)

    # -- methods ------------------------------------------------------------------------------------

    def called_later(self, obj: Any, kind: Kind, name: str, site: int, found: Any) -> Callable[..., Any]:
        """Return what to call in the place of a method; the step is recorded when it has returned."""
        # A partial of a function is called faster than one of a bound method, whose arguments are copied twice.
        call = Contents._call_with if name in _LOOKING_INTO_ARGUMENTS else Contents._call
        return partial(call, self, found, obj, kind, site)

    def _call(self, found: Any, obj: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        result = found(*args, **kwargs)
        self.record(kind, obj, site)
        return result

    def _call_with(self, found: Any, obj: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        result = found(*args, **kwargs)
        for arg in args:
            self.content(arg, site)
        self.record(kind, obj, site)
        return result
