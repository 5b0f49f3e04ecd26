"""Probes for reading, writing and deleting attributes."""

from __future__ import annotations

from types import BuiltinFunctionType, ModuleType
from typing import Any

from greenlet import getcurrent

from raddle.engine.carrier import Carrier
from raddle.inspection import is_method_of
from raddle.operation import DELETE, READ, WRITE
from raddle.step import Step
from raddle.threads.data_model.proxies import WRAPPED
from raddle.threads.data_model.variables import container_base, effect_of_method
from raddle.threads.patches import NAMES
from raddle.threads.probes.accesses import Accesses
from raddle.threads.probes.container_methods import ContainerMethods
from raddle.threads.twins.adopt import TWINS, adopt
from raddle.threads.twins.local import RealLocal, own_version

# Ids of classes whose objects hold no variables.
_PLAIN = frozenset(map(id, (int, float, bool, str, bytes, type(None), tuple)))


class Attributes:
    """Probes for attributes. Each attribute of an object is a variable unless it is code."""

    __slots__ = (
        "_accesses", "_code_names", "_cold", "_container_methods", "_engine", "_hot", "_objects", "_observing",
        "_points", "_policy", "_reached_sites", "_record", "_report", "_sampling", "_tracker", "_variables",
    )  # fmt: skip

    def __init__(
        self, accesses: Accesses, container_methods: ContainerMethods, stream: list[Step] | None = None
    ) -> None:
        self._engine, self._sampling = accesses.engine, accesses.sampling
        self._accesses = accesses
        self._container_methods = container_methods
        self._variables = accesses.variables
        self._objects = accesses.variables.objects
        self._code_names = accesses.variables.code_names
        self._cold, self._hot, self._reached_sites = accesses.cold, accesses.hot, accesses.reached_sites
        self._points, self._policy = accesses.points, accesses.policy
        self._report, self._tracker = accesses.report, accesses.tracker
        self._observing = accesses.observing
        self._record = None if stream is None else stream.append

    # -- reading ------------------------------------------------------------------------------------

    def read(self, obj: Any, name: str, site: int) -> Any:
        cls = type(obj)
        if self._cold.get(site) is cls:
            return getattr(obj, name)
        me = getcurrent()
        if type(me) is not Carrier:
            return getattr(obj, name)
        if self._hot.get(site) is cls:
            me.kind = READ
            me.target = obj
            me.name = name
            me.site = site
            self._engine.reach(me)
            return getattr(obj, name)
        fields = self._objects.get(id(obj))
        variable = fields.get(name) if fields is not None else None
        if variable is None:
            if name in self._code_names.get(id(cls if cls is not ModuleType else obj), ()):
                self._reached_sites.setdefault(site, cls)
                return getattr(obj, name)
            has_twin = id(cls) in TWINS or issubclass(cls, RealLocal)
            variable = None if has_twin else self._variables.find(obj, name)
            if variable is None:
                return self._read_other(me, obj, cls, name, site)
        policy = self._policy
        if site in self._points if policy is None else policy.arrive(me, site):
            me.kind = READ
            me.target = variable.owner
            me.name = name
            me.site = site
            self._engine.reach(me)
        if self._sampling.tracking:
            access = (me.index, me.segment, site)
            if access not in variable.accesses:
                self._tracker.track(me, variable, access, False)
        value = getattr(obj, name)
        if type(value) is BuiltinFunctionType and value in NAMES:
            value = self._accesses.replace_real(value, site)
        if self._observing:
            number, record = variable.number, self._record
            if number >= 0 and record is not None and not self._engine.aborting:
                record((me.index, READ, number, site))
            else:
                self._report(me, READ, variable, site, value)
        return value

    def _read_other(self, me: Carrier, obj: Any, cls: type, name: str, site: int) -> Any:
        """Return an attribute that is not a variable."""
        if id(cls) in TWINS:
            return getattr(adopt(obj), name)
        if issubclass(cls, RealLocal):
            return getattr(own_version(obj, me), name)
        found = getattr(obj, name)
        base = container_base(cls)
        if base is not None and is_method_of(obj, found):
            kind = effect_of_method(cls, base, found, name)
            if kind:
                return self._container_methods.called_later(obj, found, kind, site)
        if type(found) is BuiltinFunctionType and found in NAMES:
            return self._accesses.replace_real(found, site)
        return found

    # -- writing ------------------------------------------------------------------------------------

    def write(self, value: Any, obj: Any, name: str, site: int) -> None:
        cls = type(obj)
        if self._cold.get(site) is cls:
            setattr(obj, name, value)
            return
        me = getcurrent()
        if type(me) is not Carrier:
            setattr(obj, name, value)
            return
        if self._hot.get(site) is cls:
            me.kind = WRITE
            me.target = obj
            me.name = name
            me.site = site
            self._engine.reach(me)
            setattr(obj, name, value)
            return
        fields = self._objects.get(id(obj))
        variable = fields.get(name) if fields is not None else None
        if variable is None:
            variable = None if issubclass(cls, RealLocal) else self._variables.find_written(obj, name)
            if variable is None:
                self._write_other(me, value, obj, name)
                return
        policy = self._policy
        if site in self._points if policy is None else policy.arrive(me, site):
            me.kind = WRITE
            me.target = variable.owner
            me.name = name
            me.site = site
            self._engine.reach(me)
        if self._sampling.tracking:
            access = (me.index, me.segment, site)
            if access not in variable.accesses:
                self._tracker.track(me, variable, access, True)
        setattr(obj, name, value)
        if self._observing:
            number, record = variable.number, self._record
            if number >= 0 and record is not None and id(type(value)) in _PLAIN and not self._engine.aborting:
                record((me.index, WRITE, number, site))
            else:
                self._report(me, WRITE, variable, site, value)

    def _write_other(self, me: Carrier, value: Any, obj: Any, name: str) -> None:
        """Write an attribute that is not a variable."""
        if issubclass(type(obj), RealLocal):
            setattr(own_version(obj, me), name, value)
            return
        setattr(obj, name, value)
        if name == WRAPPED:
            self._variables.forget_proxy(obj)

    def delete(self, obj: Any, name: str, site: int) -> None:
        me = getcurrent()
        if type(me) is not Carrier:
            delattr(obj, name)
            return
        if issubclass(type(obj), RealLocal):
            delattr(own_version(obj, me), name)
            return
        variable = self._variables.find_written(obj, name)
        if variable is not None:
            self._accesses.step(me, variable, DELETE, site)
        delattr(obj, name)
        if self._observing and variable is not None:
            self._report(me, DELETE, variable, site, None)
