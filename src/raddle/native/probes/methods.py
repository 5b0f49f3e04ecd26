"""The probe for method calls: `obj.name(...)`."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from raddle.inspection import own_fields
from raddle.native.ids.variables import VariableNumbers
from raddle.native.probes.attributes import AttributeProbes
from raddle.native.probes.calls import CallProbes
from raddle.native.probes.contents import ContentProbes
from raddle.native.recorder import Recorder
from raddle.threads.data_model.variables import effect_of_method

__tracebackhide__ = True  # hide the frames of this module in pytest's tracebacks


class MethodProbes:
    """Records calls to uninstrumented methods, such as those of containers and primitives, and to module functions."""

    __slots__ = ("_attributes", "_calls", "_code_names", "_contents", "_is_primitive", "_local")

    def __init__(
        self,
        recorder: Recorder,
        variable_numbers: VariableNumbers,
        contents: ContentProbes,
        attributes: AttributeProbes,
        calls: CallProbes,
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
            return self._super_method(obj.__self__, name, site, found)
        codes = self._code_names.get(id(cls))
        if codes is not None and name in codes:
            return found
        return self._other_method(obj, cls, name, site, found)

    def _super_method(self, obj: Any, name: str, site: int, found: Any) -> Any:
        """Wrap a method that was looked up through `super()`, such as `super().append` in a subclass of a container."""
        cls = type(obj)
        base = None if issubclass(cls, type) else self._contents.base_of(cls)
        kind = effect_of_method(cls, base, found, name) if base is not None else None
        # `super().__new__(cls)` creates an object.
        return self._contents.wrap_method(obj, kind, name, site, found) if kind else self._calls.wrap_creator(found)

    def _other_method(self, obj: Any, cls: type, name: str, site: int, found: Any) -> Any:
        """Wrap an attribute that is about to be called and is not known to be an instrumented method."""
        base = self._contents.base_of(cls)
        if base is not None:
            kind = effect_of_method(cls, base, found, name) if name not in own_fields(obj) else None
            if kind:
                return self._contents.wrap_method(obj, kind, name, site, found)
        elif self._is_primitive(cls, name):
            self._local.thread.call_site = site
            return found
        self._attributes.record_read(obj, name, found, site)
        return self._calls.function(found, site) if cls is ModuleType else self._calls.wrap_creator(found)
