"""Probes for the content of containers: items, iteration, and operators that read or change the content."""

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
from raddle.threads.data_model.deferred import SteppedIterator
from raddle.threads.data_model.variables import UNKNOWN, container_base, is_iterator, runs_python, stores_missing_keys
from raddle.threads.patches import NAMES
from raddle.threads.probes.accesses import Accesses


class Items:
    """Probes for container content. The content of a container is one variable, regardless of the key."""

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
            return self._fill_default(me, obj, key, variable, site)
        else:
            self._accesses.step(me, variable, WRITE, site)
            value = self._get_or_store(me, obj, key, site)
        if type(value) is BuiltinFunctionType and value in NAMES:
            value = self._accesses.replace_real(value, site)
        if self._observing:
            self._accesses.report(me, READ, variable, site, value)
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
            self._accesses.report(me, WRITE, variable, site, value)

    def delitem(self, obj: Any, key: Any, site: int) -> None:
        me = getcurrent()
        if type(me) is not Carrier or container_base(type(obj)) is None:
            del obj[key]
            return
        variable = self.variables.find_content(obj)
        self._accesses.step(me, variable, DELETE, site)
        del obj[key]
        if self._observing:
            self._accesses.report(me, DELETE, variable, site, None)

    def contains(self, key: Any, obj: Any, site: int) -> bool:
        me = getcurrent()
        container = self.variables.container_of(obj) if type(me) is Carrier else None
        if container is None:
            return key in obj
        variable = self.variables.find_content(container)
        self._accesses.step(me, variable, READ, site)  # type: ignore[arg-type] # `me` is a carrier
        found = key in obj
        if self._observing:
            self._accesses.report(me, READ, variable, site, found)  # type: ignore[arg-type] # `me` is a carrier
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
                self._accesses.report(me, READ, variable, site, UNKNOWN)
        return obj

    def iterate(self, obj: Any, site: int) -> Any:
        me: Any = getcurrent()
        if self._cold.get(site) is type(obj) or type(me) is not Carrier:
            return obj
        container = self.variables.container_of(obj)
        if container is None or is_iterator(container):  # an in-memory file is both a container and an iterator
            return SteppedIterator(obj, partial(self.advance, obj, site)) if is_iterator(obj) else obj
        if issubclass(type(container), list):  # a list's iterator reads nothing before the first `next`
            return self.iterate_stepwise(iter(obj), container, site)
        self.read_content(me, container, site)
        # With the GIL, no switch can happen between the creation of a loop's iterator and its first `next`.
        return self.iterate_stepwise(iter(obj), container, site, skip_first_step=self._with_gil)

    def inplace(self, operation: str, obj: Any, value: Any, site: int) -> Any:
        if type(obj) is int:
            return IN_PLACE[operation](obj, value)
        me = getcurrent()
        if type(me) is not Carrier or container_base(type(obj)) is None:
            return IN_PLACE[operation](obj, value)
        variable = self.variables.find_content(obj)
        self._accesses.step(me, variable, WRITE, site)
        result = IN_PLACE[operation](obj, self.read_nested(me, value, site))
        if self._observing:
            self._accesses.report(me, WRITE, variable, site, UNKNOWN)
        return result

    # -- accesses by other probes ---------------------------------------------------------------------

    def read_content(self, me: Carrier, container: Any, site: int) -> None:
        """Read a container's content in a separate step, as happens when most iterators are created."""
        variable = self.variables.find_content(container)
        self._accesses.step(me, variable, READ, site)
        if self._observing:
            self._accesses.report(me, READ, variable, site, UNKNOWN)

    def read_nested(self, me: Carrier, obj: Any, site: int) -> Any:
        """Record that C code reads the content of an argument as part of the current step; return the argument."""
        container = self.variables.container_of(obj)
        if container is not None:
            self._accesses.note_nested_read(me, self.variables.find_content(container), site)
        return obj

    def advance(self, iterator: Any, site: int, advance_it: Callable[[], Any] | None = None) -> Any:
        """Call `next(iterator)` or `advance_it` as a step, because threads can share generators and C iterators."""
        me: Any = getcurrent()
        if type(me) is not Carrier:
            return next(iterator) if advance_it is None else advance_it()
        variable = self.variables.find_content(iterator)
        self._accesses.step(me, variable, WRITE, site)
        value = next(iterator) if advance_it is None else advance_it()
        if self._observing:
            self._accesses.report(me, WRITE, variable, site, value)
        return value

    def iterate_stepwise(
        self, iterator: Iterator[Any], container: Any, site: int, *, skip_first_step: bool = False
    ) -> Iterator[Any]:
        """Iterate with a step before each `next`.

        If `skip_first_step` is true, there is no step before the first `next`.
        """
        variable = self.variables.find_content(container)
        step, report = self._accesses.step, self._accesses.report
        if skip_first_step:
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
                report(me, READ, variable, site, value)
            yield value

    def _get_or_store(self, me: Carrier, obj: Any, key: Any, site: int) -> Any:
        """Return `obj[key]` of a mapping that stores missing keys; report a value that the lookup created."""
        if not self._accesses.measuring or not issubclass(type(obj), dict):
            return obj[key]
        size = dict.__len__(obj)
        value = obj[key]
        if dict.__len__(obj) > size:
            self._accesses.report_created(me, value, site)
        return value

    def _fill_default(self, me: Carrier, obj: Any, key: Any, variable: Variable, site: int) -> Any:
        """Return `obj[key]` of a defaultdict. While its factory runs Python code, other threads can store the key."""
        step = self._accesses.step
        step(me, variable, WRITE, site)  # the access may become a write, and a site's access is tracked only once
        missing = key not in obj
        if missing:
            value = obj.default_factory()
            if self._accesses.measuring:
                self._accesses.report_created(me, value, site)
            step(me, variable, WRITE, site)
            obj[key] = value
        else:
            value = obj[key]
        if self._observing:
            self._accesses.report(me, WRITE if missing else READ, variable, site, value)
        return value
