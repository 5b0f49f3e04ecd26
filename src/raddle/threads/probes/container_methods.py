"""Calls to container methods, such as `items.append(1)`, including sorting in place and methods called later."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from greenlet import getcurrent

from raddle.engine.carrier import Carrier
from raddle.operation import READ, WRITE, Kind
from raddle.threads.data_model.deferred import BoundMethod
from raddle.threads.data_model.variables import UNKNOWN, VIEW_TYPES, runs_python
from raddle.threads.probes.accesses import Accesses
from raddle.threads.probes.items import Items


class ContainerMethods:
    """Calls container methods; each call is one step."""

    __slots__ = ("_accesses", "_allow_gil_switch", "_hot", "_items", "_observing", "_reached_sites", "_variables")

    def __init__(self, accesses: Accesses, items: Items, allow_gil_switch: Callable[[Carrier, int], None]) -> None:
        self._accesses = accesses
        self._items = items
        self._variables = accesses.variables
        self._hot = accesses.hot
        self._reached_sites = accesses.reached_sites
        self._observing = accesses.observing
        self._allow_gil_switch = allow_gil_switch

    def called_later(self, obj: Any, found: Any, kind: Kind, site: int) -> Any:
        """Wrap a method that other code will call, as in `Thread(target=items.append)`."""
        return BoundMethod(found, partial(self._call_deferred, obj, found, kind, site))

    def call(self, obj: Any, found: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        me: Any = getcurrent()
        if type(me) is not Carrier:
            return found(*args, **kwargs)
        if self._hot.get(site) is type(obj):
            self._accesses.arrive(me, obj, kind, site)
            return found(*args, **kwargs)
        variable = self._variables.find_content(obj)
        self._accesses.step(me, variable, kind, site)
        if args or kwargs:
            read_nested = self._items.read_nested
            result = found(*[read_nested(me, arg, site) for arg in args], **kwargs)
        else:
            result = found()
        if id(type(result)) in VIEW_TYPES:
            self._variables.views[id(result)] = (result, obj)
            self._reached_sites[site] = None  # so that a loop over the view looks up the container
        if self._observing:
            self._accesses.report(me, kind, variable, site, result if kind == READ else UNKNOWN)
        return result

    def _call_deferred(self, obj: Any, found: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call a method that `called_later` has wrapped.

        With the GIL, CPython can switch threads before this call, regardless of the code at the site.
        """
        me: Any = getcurrent()
        if type(me) is Carrier:
            self._allow_gil_switch(me, site)
        return self.call(obj, found, kind, site, *args, **kwargs)

    def sort(self, obj: Any, found: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Sort with a step before each call to the key function, because the list is empty while that function runs."""
        key = kwargs.get("key")
        me: Any = getcurrent()
        if type(me) is Carrier and key is not None and runs_python(key):
            variable, step = self._variables.find_content(obj), self._accesses.step

            def key_with_step(item: Any) -> Any:
                step(me, variable, WRITE, site)
                return key(item)

            kwargs["key"] = key_with_step
        return self.call(obj, found, kind, site, *args, **kwargs)


# A partial of a plain function is faster than a partial of a bound method, which copies its arguments twice.
CALL, SORT = ContainerMethods.call, ContainerMethods.sort
