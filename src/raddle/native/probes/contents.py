"""Probes for the contents of containers: items, iteration, operators, and methods that read or change the content."""

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

__tracebackhide__ = True  # hide the frames of this module in pytest's tracebacks

# Methods that read the content of containers passed as arguments.
_READING_ARGUMENTS = frozenset({
    "extend", "extendleft", "update", "union", "intersection", "difference", "symmetric_difference", "issubset",
    "issuperset", "isdisjoint", "intersection_update", "difference_update", "symmetric_difference_update", "join",
    "__eq__", "__add__", "__iadd__", "__or__", "__ior__",
})  # fmt: skip
_SCALARS = frozenset(map(id, (int, bool, str, float, type(None), bytes)))  # ids of classes that are never containers


class ContentProbes(RecordingProbes):
    """Records accesses to the content of containers. All items of a container count as one variable."""

    __slots__ = ("_assign_number", "_classes", "_stores_missing", "bases")

    def __init__(self, recorder: Recorder, variable_numbers: VariableNumbers) -> None:
        super().__init__(recorder, variable_numbers)
        self._assign_number = variable_numbers.content
        # `bases` and `_stores_missing` are keyed by the id of a class, which `_classes` keeps alive. `bases` maps the
        # class to the result of `container_base`.
        self.bases: dict[int, type | None] = dict.fromkeys(_SCALARS)
        # `_stores_missing` maps a class to whether looking up a missing key stores the key, as in a defaultdict.
        self._stores_missing: dict[int, bool] = {}
        self._classes: list[type] = []

    # -- probes -------------------------------------------------------------------------------------

    def getitem(self, obj: Any, key: Any, site: int) -> Any:
        value = obj[key]
        cls = type(obj)
        bases = self.bases
        if (bases[id(cls)] if id(cls) in bases else self.add_class(cls)) is None:
            return value
        try:
            number = self._entries[id(obj)][CONTENT]
        except KeyError:
            number = self._assign_number(obj, site)
        if number >= 0:
            stores_missing = self._stores_missing[id(cls)]
            if stores_missing and id(value) not in self._entries:
                # The value is not in the table yet, so code without probes created it.
                self._variable_numbers.note_created(value)
            steps = self._steps
            steps.append((self._local.number, WRITE if stores_missing else READ, number, site))
            if len(steps) > self._max_steps:
                self._flush()
        return value

    def setitem(self, value: Any, obj: Any, key: Any, site: int) -> None:
        obj[key] = value
        cls = type(obj)
        bases = self.bases
        if (bases[id(cls)] if id(cls) in bases else self.add_class(cls)) is not None:
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
        return obj if container is None else self.recording_iterator(iter(obj), container, site)

    def inplace(self, operation: str, obj: Any, value: Any, site: int) -> Any:
        result = IN_PLACE[operation](obj, value)
        cls = type(obj)
        bases = self.bases
        if (bases[id(cls)] if id(cls) in bases else self.add_class(cls)) is not None:
            self.content(value, site)
            self.record(WRITE, obj, site)
        return result

    # -- used by other probes -------------------------------------------------------------

    def record(self, kind: str, container: Any, site: int) -> None:
        """Record an access to the content of a container."""
        try:
            number = self._entries[id(container)][CONTENT]
        except KeyError:
            number = self._assign_number(container, site)
            if number < 0:
                return
        steps = self._steps
        steps.append((self._local.number, kind, number, site))
        if len(steps) > self._max_steps:
            self._flush()

    def add_class(self, cls: type) -> type | None:
        """Cache the properties of a class that is seen for the first time, and return its container base."""
        self._classes.append(cls)
        self._stores_missing[id(cls)] = stores_missing_keys(cls)
        base = self.bases[id(cls)] = container_base(cls)
        return base

    def base_of(self, cls: type) -> type | None:
        """Return the uninstrumented container class among a class and its bases, or None if there is none."""
        bases = self.bases
        return bases[id(cls)] if id(cls) in bases else self.add_class(cls)

    def container_of(self, obj: Any) -> Any:
        """Return `obj` if it is a container, or the dictionary if `obj` is a view of one; None otherwise."""
        cls = type(obj)
        bases = self.bases
        if (bases[id(cls)] if id(cls) in bases else self.add_class(cls)) is not None:
            return obj
        if id(cls) in VIEW_TYPES:
            viewed = gc.get_referents(obj)
            return viewed[0] if viewed else None
        return None

    def recording_iterator(self, iterator: Iterator[Any], container: Any, site: int) -> Iterator[Any]:
        """Iterate, and record a read for each call to `next`, including the call that ends the iteration."""
        record = self.record
        for value in iterator:
            record(READ, container, site)
            yield value
        record(READ, container, site)

    # -- methods ------------------------------------------------------------------------------------

    def wrap_method(self, obj: Any, kind: Kind, name: str, site: int, found: Any) -> Callable[..., Any]:
        """Wrap a method of a container, so that its step is recorded after it returns."""
        # A partial of a function is faster than a partial of a bound method, which copies the arguments twice.
        call = ContentProbes._call_reading_arguments if name in _READING_ARGUMENTS else ContentProbes._call
        return partial(call, self, found, obj, kind, site)

    def _call(self, found: Any, obj: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        result = found(*args, **kwargs)
        self.record(kind, obj, site)
        return result

    def _call_reading_arguments(self, found: Any, obj: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        result = found(*args, **kwargs)
        for arg in args:
            self.content(arg, site)
        self.record(kind, obj, site)
        return result
