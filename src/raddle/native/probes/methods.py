"""The probe of methods that are called at once: `obj.name(...)`."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from raddle.inspection import own_fields
from raddle.native.ids.variables import VariableNumbers
from raddle.native.probes.attributes import Attributes
from raddle.native.probes.calls import Calls
from raddle.native.probes.contents import Contents
from raddle.native.recorder import Recorder
from raddle.threads.data_model.variables import effect_of_method

__tracebackhide__ = True  # frames of this module, in what pytest shows


class Methods:
    """Most methods are code with probes of its own; those of containers, modules and primitives are not."""

    __slots__ = ("_attributes", "_calls", "_code_names", "_contents", "_is_primitive", "_local")

    def __init__(
        self,
        recorder: Recorder,
        variable_numbers: VariableNumbers,
        contents: Contents,
        attributes: Attributes,
        calls: Calls,
        is_primitive: Callable[[type, str], bool],
    ) -> None:
        self._local = recorder.local
        self._code_names = variable_numbers.code_names
        self._contents = contents
        self._attributes = attributes
        self._calls = calls
        self._is_primitive = is_primitive

    def method(self, obj: Any, name: str, site: int) -> Any:
        found = getattr(obj, name)
        cls = type(obj)
        if cls is super:
            return self._of_super(obj.__self__, name, site, found)
        codes = self._code_names.get(id(cls))
        if codes is not None and name in codes:
            return found
        return self._other(obj, cls, name, site, found)

    def _of_super(self, obj: Any, name: str, site: int, found: Any) -> Any:
        """`super().append(1)`, in a class that extends a container."""
        cls = type(obj)
        base = None if issubclass(cls, type) else self._contents.base_of(cls)
        kind = effect_of_method(cls, base, found, name) if base is not None else None
        # `super().__new__(cls)` makes an object.
        return self._contents.called_later(obj, kind, name, site, found) if kind else self._calls.maker(found)

    def _other(self, obj: Any, cls: type, name: str, site: int, found: Any) -> Any:
        """A method that may be data, or do something that is recorded."""
        base = self._contents.base_of(cls)
        if base is not None:
            kind = effect_of_method(cls, base, found, name) if name not in own_fields(obj) else None
            if kind:
                return self._contents.called_later(obj, kind, name, site, found)
        elif self._is_primitive(cls, name):
            self._local.thread.call_site = site
            return found
        self._attributes.record_read(obj, name, found, site)
        return self._calls.function(found, site) if cls is ModuleType else self._calls.maker(found)
