"""The probe for method calls: `obj.name(...)`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType, MethodType, ModuleType, WrapperDescriptorType
from typing import Any

from greenlet import getcurrent

from raddle.engine.carrier import Carrier
from raddle.inspection import own_fields
from raddle.operation import DELETE, READ, WRITE, Effect, Kind
from raddle.threads.data_model.filesystem import effect_of_method as effect_on_files
from raddle.threads.data_model.filesystem import is_external
from raddle.threads.data_model.variables import BUILT_IN, container_base, effect_by_name, effect_of_method
from raddle.threads.probes.accesses import Accesses
from raddle.threads.probes.attributes import Attributes
from raddle.threads.probes.calls import Calls
from raddle.threads.probes.container_methods import CALL, SORT, ContainerMethods
from raddle.threads.twins.adopt import TWINS, adopt

# Methods of strings that read the content of their arguments.
_TEXT_READERS = frozenset({"join", "format", "format_map"})
# Functions that access an attribute directly and ignore special methods of the object's class.
_OBJECT_ACCESSORS: dict[Any, Kind] = {
    object.__getattribute__: READ, object.__setattr__: WRITE, object.__delattr__: DELETE,
}  # fmt: skip


class Methods:
    """The probe for method calls. It distinguishes container methods, module functions and callables in attributes."""

    __slots__ = (
        "_accesses", "_attributes", "_built_in", "_calls", "_cold", "_container_methods", "_kept_alive", "_observing",
        "_reached_sites", "_specials", "_variables",
    )  # fmt: skip

    def __init__(
        self, accesses: Accesses, attributes: Attributes, calls: Calls, container_methods: ContainerMethods
    ) -> None:
        self._accesses = accesses
        self._attributes = attributes
        self._calls = calls
        self._container_methods = container_methods
        self._variables = accesses.variables
        self._cold, self._reached_sites = accesses.cold, accesses.reached_sites
        self._observing = accesses.observing
        # Both dicts are keyed by the id of a class. `_built_in` maps a container class to the effects of its methods,
        # keyed by name. `_specials` maps a class to a function that looks up a method.
        self._built_in: dict[int, dict[str, Effect]] = {id(cls): {} for cls in BUILT_IN}
        self._specials: dict[int, Callable[[Any, str, int], Any] | None] = {
            **dict.fromkeys(TWINS, _of_twin),
            id(ModuleType): self._of_module,
            id(str): self._of_text,
            id(bytes): self._of_text,
            id(super): self._of_super,
        }
        self._kept_alive: list[type] = []  # classes whose ids must stay valid

    def method(self, obj: Any, name: str, site: int) -> Any:
        cls = type(obj)
        if self._cold.get(site) is cls:
            if self._observing:  # observers attribute the method's synchronization to this site
                me = getcurrent()
                if type(me) is Carrier:
                    me.site = site
            return getattr(obj, name)
        me = getcurrent()
        if type(me) is not Carrier:
            return getattr(obj, name)
        effects = self._built_in.get(id(cls))
        if effects is not None:
            try:
                kind = effects[name]
            except KeyError:
                kind = effects[name] = effect_by_name(cls, name)
            me.site = site
            if kind is None:
                return getattr(obj, name)
            call = SORT if name == "sort" else CALL
            return partial(call, self._container_methods, obj, getattr(obj, name), kind, site)
        base = container_base(cls)
        if base is not None and name not in own_fields(obj):
            found = getattr(obj, name)
            kind = effect_of_method(cls, base, found, name)
            if kind:
                me.site = site
                return partial(SORT if name == "sort" else CALL, self._container_methods, obj, found, kind, site)
            return found
        me.site = site
        try:
            special = self._specials[id(cls)]
        except KeyError:
            special = self._special(cls)
        if special is not None:
            return special(obj, name, site)
        found = self._attributes.read(obj, name, site)  # an attribute may hold any callable: `self.opener = open`
        return found if type(found) is MethodType else self._calls.function(found, site)

    def _special(self, cls: type) -> Callable[[Any, str, int], Any] | None:
        special = self._of_class if issubclass(cls, type) else self._of_external if is_external(cls) else None
        self._kept_alive.append(cls)
        self._specials[id(cls)] = special
        return special

    def _of_module(self, module: ModuleType, name: str, site: int) -> Any:
        """Return the callable for a call to a module's function, such as `heapq.heappush(items, 1)`."""
        if self._variables.is_function_of(module, name):
            found = getattr(module, name)
        else:
            found = self._attributes.read(module, name, site)  # a variable, or code seen for the first time
        called = self._calls.function(found, site)
        if called is found and self._variables.is_function_of(module, name):
            self._reached_sites.setdefault(site, ModuleType)
        return called

    def _of_super(self, super_object: Any, name: str, site: int) -> Any:
        """Return the callable for `super().append(1)` in a class that extends a container."""
        found, obj = getattr(super_object, name), super_object.__self__
        cls = type(obj)  # not obj.__class__: the caller may be the object's own `__getattribute__`
        base = None if issubclass(cls, type) else container_base(cls)
        kind = effect_of_method(cls, base, found, name) if base is not None else None
        if kind:
            return partial(CALL, self._container_methods, obj, found, kind, site)
        return self._calls.probed_constructor(found, site)  # `super().__new__(cls)`

    def _of_text(self, text: Any, name: str, site: int) -> Any:
        found = getattr(text, name)
        if name in _TEXT_READERS:
            return partial(self._calls.call_with_effect, found, READ, site)
        self._reached_sites.setdefault(site, type(text))
        return found

    def _of_external(self, obj: Any, name: str, site: int) -> Any:
        """Return the callable for a method of a file, a path or a database."""
        kind = effect_on_files(obj, name)
        if not kind:
            return self._attributes.read(obj, name, site)
        return partial(self._calls.call_external, getattr(obj, name), kind, site)

    def _of_class(self, cls: type, name: str, site: int) -> Any:
        """Return the callable for a method called on its class: `dict.get(d, 1)` or `object.__setattr__(x, "a", 1)`."""
        found = self._attributes.read(cls, name, site)
        kind = _OBJECT_ACCESSORS.get(found) if type(found) is WrapperDescriptorType else None
        if kind is not None:
            return partial(self._access_attribute, found, kind, site)
        if container_base(cls) is None:
            return self._calls.function(found, site)
        if type(found) is BuiltinFunctionType:  # a class method: `dict.fromkeys(items)`
            return partial(self._calls.call_with_effect, self._calls.probed_constructor(found, site), READ, site)
        return partial(self._call_by_class, found, name, site)

    def _call_by_class(self, found: Any, name: str, site: int, /, *args: Any, **kwargs: Any) -> Any:
        base = container_base(type(args[0])) if args else None
        kind = effect_by_name(base, name) if base is not None else None
        if not kind:
            return found(*args, **kwargs)
        return self._container_methods.call(args[0], partial(found, args[0]), kind, site, *args[1:], **kwargs)

    def _access_attribute(self, called: Any, kind: Kind, site: int, /, obj: Any, name: str, *values: Any) -> Any:
        me: Any = getcurrent()
        find = self._variables.find if kind == READ else self._variables.find_written
        variable = find(obj, name) if type(me) is Carrier else None
        if variable is None:
            return called(obj, name, *values)
        self._accesses.step(me, variable, kind, site)
        result = called(obj, name, *values)
        if self._observing:
            self._accesses.report(me, kind, variable, site, values[0] if values else result)
        return result


def _of_twin(real: Any, name: str, site: int) -> Any:
    return getattr(adopt(real), name)
