"""Probes of the contents of containers: items, iteration, and operators that read or change a content."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from types import BuiltinFunctionType
from typing import Any

from greenlet import getcurrent

from raddle.engine.carrier import Carrier
from raddle.engine.variables import Variable
from raddle.inspection import class_attribute
from raddle.operation import DELETE, READ, WRITE
from raddle.threads.data_model.builtin_functions import IN_PLACE
from raddle.threads.data_model.deferred import Stepped
from raddle.threads.data_model.variables import UNKNOWN, container_base, is_iterator, runs_python, stores_missing_keys
from raddle.threads.patches import NAMES
from raddle.threads.probes.accesses import Accesses


class Items:
    """The content of a container is one variable, whatever the key."""

    __slots__ = ("_accesses", "_cold", "_hot", "_observing", "_with_gil", "variables")

    def __init__(self, accesses: Accesses, *, with_gil: bool) -> None:
        self._accesses = accesses
        self.variables = accesses.variables
        self._cold, self._hot = accesses.cold, accesses.hot
        self._observing = accesses.observing
        self._with_gil = with_gil

    # -- probes -------------------------------------------------------------------------------------

    def getitem(self, obj: Any, key: Any, site: int) -> Any:
        cls = type(obj)
        if self._cold.get(site) is cls:
            return obj[key]
        me = getcurrent()
        if type(me) is not Carrier or container_base(cls) is None:
            return obj[key]
        variable = self.variables.find_content(obj)
        if not stores_missing_keys(cls):
            self._accesses.step(me, variable, READ, site)
            value = obj[key]
        elif class_attribute(cls, "__missing__") is defaultdict.__missing__ and runs_python(obj.default_factory):
            return self._filled(me, obj, key, variable, site)
        else:
            self._accesses.step(me, variable, WRITE, site)
            value = self._stored(me, obj, key, site)
        if type(value) is BuiltinFunctionType and value in NAMES:
            value = self._accesses.instead_of(value, site)
        if self._observing:
            self._accesses.tell(me, READ, variable, site, value)
        return value

    def setitem(self, value: Any, obj: Any, key: Any, site: int) -> None:
        cls = type(obj)
        if self._cold.get(site) is cls:
            obj[key] = value
            return
        me = getcurrent()
        if type(me) is not Carrier or container_base(cls) is None:
            obj[key] = value
            return
        variable = self.variables.find_content(obj)
        self._accesses.step(me, variable, WRITE, site)
        obj[key] = value
        if self._observing:
            self._accesses.tell(me, WRITE, variable, site, value)

    def delitem(self, obj: Any, key: Any, site: int) -> None:
        me = getcurrent()
        if type(me) is not Carrier or container_base(type(obj)) is None:
            del obj[key]
            return
        variable = self.variables.find_content(obj)
        self._accesses.step(me, variable, DELETE, site)
        del obj[key]
        if self._observing:
            self._accesses.tell(me, DELETE, variable, site, None)

    def contains(self, key: Any, obj: Any, site: int) -> bool:
        me = getcurrent()
        container = self.variables.container_of(obj) if type(me) is Carrier else None
        if container is None:
            return key in obj
        variable = self.variables.find_content(container)
        self._accesses.step(me, variable, READ, site)  # type: ignore[arg-type] # a carrier
        found = key in obj
        if self._observing:
            self._accesses.tell(me, READ, variable, site, found)  # type: ignore[arg-type] # a carrier
        return found

    def content(self, obj: Any, site: int) -> Any:
        cls = type(obj)
        if cls is int or cls is bool or cls is str or obj is None or self._cold.get(site) is cls:
            return obj
        me = getcurrent()
        if type(me) is not Carrier:
            return obj
        if self._hot.get(site) is cls:
            self._accesses.arrive(me, obj, READ, site)
            return obj
        container = self.variables.container_of(obj)
        if container is not None:
            variable = self.variables.find_content(container)
            self._accesses.step(me, variable, READ, site)
            if self._observing:
                self._accesses.tell(me, READ, variable, site, UNKNOWN)
        return obj

    def iterate(self, obj: Any, site: int) -> Any:
        me: Any = getcurrent()
        if self._cold.get(site) is type(obj) or type(me) is not Carrier:
            return obj
        container = self.variables.container_of(obj)
        if container is None or is_iterator(container):  # a file in memory is both
            return Stepped(obj, partial(self.advance, obj, site)) if is_iterator(obj) else obj
        if issubclass(type(container), list):  # its iterator reads nothing before the first `next`
            return self.each(iter(obj), container, site)
        self.look_at(me, container, site)
        # With the GIL no switch can come between the making of a loop's iterator and its first `next`.
        return self.each(iter(obj), container, site, at_once=self._with_gil)

    def inplace(self, operation: str, obj: Any, value: Any, site: int) -> Any:
        if type(obj) is int:
            return IN_PLACE[operation](obj, value)
        me = getcurrent()
        if type(me) is not Carrier or container_base(type(obj)) is None:
            return IN_PLACE[operation](obj, value)
        variable = self.variables.find_content(obj)
        self._accesses.step(me, variable, WRITE, site)
        result = IN_PLACE[operation](obj, self.look_inside(me, value, site))
        if self._observing:
            self._accesses.tell(me, WRITE, variable, site, UNKNOWN)
        return result

    # -- what other probes do to contents -------------------------------------------------------------

    def look_at(self, me: Carrier, container: Any, site: int) -> None:
        """Read a content in a step of its own, as before an iterator is made: most store the size of the container."""
        variable = self.variables.find_content(container)
        self._accesses.step(me, variable, READ, site)
        if self._observing:
            self._accesses.tell(me, READ, variable, site, UNKNOWN)

    def look_inside(self, me: Carrier, obj: Any, site: int) -> Any:
        """Note that code in C reads the content of an argument at once, which is no step of its own."""
        container = self.variables.container_of(obj)
        if container is not None:
            self._accesses.note_inside(me, self.variables.find_content(container), site)
        return obj

    def advance(self, iterator: Any, site: int, go: Callable[[], Any] | None = None) -> Any:
        """Call `next(iterator)`, or `go`, which advances it: an iterator of C or a generator can be shared."""
        me: Any = getcurrent()
        if type(me) is not Carrier:
            return next(iterator) if go is None else go()
        variable = self.variables.find_content(iterator)
        self._accesses.step(me, variable, WRITE, site)
        value = next(iterator) if go is None else go()
        if self._observing:
            self._accesses.tell(me, WRITE, variable, site, value)
        return value

    def each(self, iterator: Iterator[Any], container: Any, site: int, *, at_once: bool = False) -> Iterator[Any]:
        """Iterate with a step for each `next`, the first one only if not `at_once`."""
        variable = self.variables.find_content(container)
        step, tell = self._accesses.step, self._accesses.tell
        if at_once:
            try:
                value = next(iterator)
            except StopIteration:
                return
            yield value
        while True:
            me: Any = getcurrent()
            if type(me) is Carrier:
                step(me, variable, READ, site)
            try:
                value = next(iterator)
            except StopIteration:
                return
            if self._observing and type(me) is Carrier:
                tell(me, READ, variable, site, value)
            yield value

    def _stored(self, me: Carrier, obj: Any, key: Any, site: int) -> Any:
        """Return `obj[key]` of a mapping that stores what is missing; if it did, that was made here."""
        if not self._accesses.measuring or not issubclass(type(obj), dict):
            return obj[key]
        size = dict.__len__(obj)
        value = obj[key]
        if dict.__len__(obj) > size:
            self._accesses.made(me, value, site)
        return value

    def _filled(self, me: Carrier, obj: Any, key: Any, variable: Variable, site: int) -> Any:
        """`obj[key]` of a defaultdict whose factory runs Python code: others can store the key meanwhile."""
        step = self._accesses.step
        step(me, variable, WRITE, site)  # it may become one, and what a site does is noted once
        missing = key not in obj
        if missing:
            value = obj.default_factory()
            if self._accesses.measuring:
                self._accesses.made(me, value, site)
            step(me, variable, WRITE, site)
            obj[key] = value
        else:
            value = obj[key]
        if self._observing:
            self._accesses.tell(me, WRITE if missing else READ, variable, site, value)
        return value
