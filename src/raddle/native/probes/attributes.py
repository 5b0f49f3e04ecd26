"""Probes for reading, writing and deleting attributes."""

from __future__ import annotations

from typing import Any

from raddle.inspection import is_method_of
from raddle.native.ids.objects import HELD
from raddle.native.ids.variables import NO_VARIABLE, VariableNumbers, inherited
from raddle.native.probes.contents import ContentProbes
from raddle.native.probes.recording import RecordingProbes
from raddle.native.recorder import Recorder
from raddle.operation import READ, WRITE
from raddle.threads.data_model.deferred import BoundMethod
from raddle.threads.data_model.variables import effect_of_method

__tracebackhide__ = True  # hide the frames of this module in pytest's tracebacks


class AttributeProbes(RecordingProbes):
    """Records accesses to attributes. An attribute is a variable unless its value is code, such as a method."""

    __slots__ = ("_bases", "_contents")

    def __init__(self, recorder: Recorder, variable_numbers: VariableNumbers, contents: ContentProbes) -> None:
        super().__init__(recorder, variable_numbers)
        self._contents = contents
        self._bases = contents.bases

    def read(self, obj: Any, name: str, site: int) -> Any:
        value = getattr(obj, name)
        try:
            number = self._entries[id(obj)][name]
        except KeyError:
            number = self._variable_numbers.attribute_read(obj, name, value, site)
        if number >= 0:
            steps = self._steps
            steps.append((self._local.number, READ, number, site))
            if len(steps) > self._max_steps:
                self._flush()
        elif number != NO_VARIABLE:
            self._steps.append((self._local.number, READ, inherited(number), site))
        elif self._contents.container_of(obj) is obj:
            return self._detached_method(obj, name, site, value)
        return value

    def record_read(self, obj: Any, name: str, value: Any, site: int) -> None:
        """Record that an attribute has just been read."""
        try:
            number = self._entries[id(obj)][name]
        except KeyError:
            number = self._variable_numbers.attribute_read(obj, name, value, site)
        if number != NO_VARIABLE:
            self._steps.append((self._local.number, READ, number if number >= 0 else inherited(number), site))

    def write(self, value: Any, obj: Any, name: str, site: int) -> None:
        setattr(obj, name, value)
        try:
            fields = self._entries[id(obj)]
            number = fields[name]
        except KeyError:
            number = NO_VARIABLE
        if number < 0:
            number = self._variable_numbers.attribute_written(obj, name, value, site)
            if number < 0:
                return
        else:
            held = fields.get(HELD)
            if held is not None and name in held:
                self._variable_numbers.release_held(fields, name, value)
            if self._bases.get(id(type(value))) is not None and id(value) not in self._entries:
                self._variable_numbers.hold(obj, name, value)
        steps = self._steps
        steps.append((self._local.number, WRITE, number, site))
        if len(steps) > self._max_steps:
            self._flush()

    def delete(self, obj: Any, name: str, site: int) -> None:
        delattr(obj, name)
        fields = self._entries.get(id(obj), {})
        if name in fields.get(HELD, ()):
            self._variable_numbers.release_held(fields, name, None)
        number = fields.get(name, NO_VARIABLE)
        if number < 0:
            number = self._variable_numbers.attribute_written(obj, name, None, site)
        if number >= 0:
            self._steps.append((self._local.number, WRITE, number, site))

    def _detached_method(self, obj: Any, name: str, site: int, found: Any) -> Any:
        """Wrap a container method that is looked up but not called here, as in `Thread(target=items.append)`."""
        base = self._bases[id(type(obj))]
        if base is None or not is_method_of(obj, found):
            return found
        kind = effect_of_method(type(obj), base, found, name)
        return BoundMethod(found, self._contents.wrap_method(obj, kind, name, site, found)) if kind else found
