"""Calls of methods of containers: `items.append(1)`, `sorted` in place, and methods that are called later."""

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
    """A call of a container's method is one step, taken when it is called."""

    __slots__ = ("_accesses", "_allow_gil_switch", "_hot", "_items", "_observing", "_quiet", "_variables")

    def __init__(self, accesses: Accesses, items: Items, allow_gil_switch: Callable[[Carrier, int], None]) -> None:
        self._accesses = accesses
        self._items = items
        self._variables = accesses.variables
        self._hot = accesses.hot
        self._quiet = accesses.quiet
        self._observing = accesses.observing
        self._allow_gil_switch = allow_gil_switch

    def called_later(self, obj: Any, found: Any, kind: Kind, site: int) -> Any:
        """Return what stands for a method that other code will call: `Thread(target=items.append)`."""
        return BoundMethod(found, partial(self._call_elsewhere, obj, found, kind, site))

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
            look_inside = self._items.look_inside
            result = found(*[look_inside(me, arg, site) for arg in args], **kwargs)
        else:
            result = found()
        if id(type(result)) in VIEW_TYPES:
            self._variables.views[id(result)] = (result, obj)
            self._quiet[site] = None  # the loop over the view must find out whose it is
        if self._observing:
            self._accesses.tell(me, kind, variable, site, result if kind == READ else UNKNOWN)
        return result

    def _call_elsewhere(self, obj: Any, found: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call a method that was kept: the calls around it, where CPython can switch, are not at its site."""
        me: Any = getcurrent()
        if type(me) is Carrier:
            self._allow_gil_switch(me, site)
        return self.call(obj, found, kind, site, *args, **kwargs)

    def sort(self, obj: Any, found: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Sort with a step before each call of the key function: the list is empty while that runs."""
        key = kwargs.get("key")
        me: Any = getcurrent()
        if type(me) is Carrier and key is not None and runs_python(key):
            variable, step = self._variables.find_content(obj), self._accesses.step

            def stopping(item: Any) -> Any:
                step(me, variable, WRITE, site)
                return key(item)

            kwargs["key"] = stopping
        return self.call(obj, found, kind, site, *args, **kwargs)


# A partial of a function is called faster than one of a bound method, whose arguments are copied twice.
CALL, SORT = ContainerMethods.call, ContainerMethods.sort
