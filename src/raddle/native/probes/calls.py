"""The probe for calls to code that has no probes of its own: built-in functions, C code and uninstrumented modules."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

from raddle.native.ids.variables import VariableNumbers
from raddle.native.probes.attributes import AttributeProbes
from raddle.native.probes.contents import ContentProbes
from raddle.operation import READ, WRITE
from raddle.threads.data_model.builtin_functions import BuiltinRole, handlers_by_function
from raddle.threads.data_model.call_effects import EffectCache, copies_objects
from raddle.threads.data_model.variables import is_iterator

__tracebackhide__ = True  # hide the frames of this module in pytest's tracebacks


class CallProbes:
    """Wraps called functions. When a wrapped function returns, its effects on its arguments are recorded."""

    __slots__ = ("_attributes", "_contents", "_creation_rules", "_effects", "_note_created")

    def __init__(self, contents: ContentProbes, attributes: AttributeProbes, variable_numbers: VariableNumbers) -> None:
        self._contents = contents
        self._attributes = attributes
        self._effects = EffectCache()
        self._creation_rules = variable_numbers.creation_rules
        self._note_created = variable_numbers.note_created

    def function(self, called: Any, site: int) -> Any:
        handler = _HANDLERS.get(id(called))
        if handler is not None:
            return partial(handler, self, called, site)
        if type(called) is partial:
            inner = self.wrap_creator(called.func)
            return called if inner is called.func else partial(inner, *called.args, **called.keywords)
        effect = self._effects.of(called)
        if type(called) is not FunctionType:
            called = self.wrap_creator(called)
        if effect is None:
            return called
        # Disk accesses are not recorded here. Functions that access the disk do not change the containers passed to
        # them.
        return partial(self._call_with_effect, called, READ if effect.on_disk else effect.kind, site)

    def wrap_creator(self, called: Any) -> Any:
        """Wrap a class or another callable that creates objects; return any other callable unchanged."""
        return partial(self._call_creating, called) if self._creation_rules.creates_object(called) else called

    def _call_creating(self, called: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call an uninstrumented class or function, and track the object that it creates."""
        created = called(*args, **kwargs)
        self._note_created(created)
        return created

    def _call_with_effect(self, called: Any, kind: str, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call uninstrumented code.

        Record its effect on the first container among the arguments, and a read of every other container.
        """
        result = called(*args, **kwargs)
        for arg in (*args, *kwargs.values()):
            container = self._contents.container_of(arg)
            if container is not None:
                self._contents.record(kind, container, site)
                kind = READ
        if copies_objects(called):
            self._note_created(result)
        return result

    def call_reading(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function such as `len` or `sorted` that reads the content of its arguments immediately."""
        result = called(*args, **kwargs)
        for arg in args:
            self._contents.content(arg, site)
        return result

    def call_lazy(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function such as `enumerate` or `zip` that reads the content of its arguments lazily."""
        if called is map and args:
            args = (self.wrap_creator(args[0]), *args[1:])
        return called(*[self._contents.iterate(arg, site) for arg in args], **kwargs)

    def call_iter(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        result = called(*args, **kwargs)
        container = self._contents.container_of(args[0]) if len(args) == 1 else None
        return result if container is None else self._contents.recording_iterator(result, container, site)

    def call_next(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call `next`, and record a write to the iterator.

        Threads can share a generator or an iterator implemented in C.
        """
        value = called(*args, **kwargs)
        if is_iterator(args[0]):
            self._contents.record(WRITE, args[0], site)
        return value

    def call_getattr(self, called: Any, site: int, /, obj: Any, name: str, *default: Any) -> Any:
        value = called(obj, name, *default)
        if not default or value is not default[0]:
            self._attributes.record_read(obj, name, value, site)
        return value

    def call_hasattr(self, called: Any, site: int, /, obj: Any, name: str) -> bool:
        result: bool = called(obj, name)
        if result:
            self._attributes.record_read(obj, name, None, site)
        return result

    def call_setattr(self, called: Any, site: int, /, obj: Any, name: str, value: Any) -> None:
        self._attributes.write(value, obj, name, site)

    def call_delattr(self, called: Any, site: int, /, obj: Any, name: str) -> None:
        self._attributes.delete(obj, name, site)


_HANDLERS: dict[int, Callable[..., Any]] = handlers_by_function(
    {
        BuiltinRole.READ_CONTENT: CallProbes.call_reading,
        BuiltinRole.PRINT: CallProbes.call_reading,
        BuiltinRole.LAZY: CallProbes.call_lazy,
        BuiltinRole.ITERATE: CallProbes.call_iter,
        BuiltinRole.ADVANCE: CallProbes.call_next,
        BuiltinRole.GETATTR: CallProbes.call_getattr,
        BuiltinRole.HASATTR: CallProbes.call_hasattr,
        BuiltinRole.SETATTR: CallProbes.call_setattr,
        BuiltinRole.DELATTR: CallProbes.call_delattr,
    }
)
