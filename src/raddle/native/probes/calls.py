"""Calls of code that has no probes: built-in functions, code in C, modules that are not instrumented."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

from raddle.native.ids.variables import VariableNumbers
from raddle.native.probes.attributes import Attributes
from raddle.native.probes.contents import Contents
from raddle.operation import READ, WRITE
from raddle.threads.data_model.builtin_functions import BuiltinRole, handlers_by_function
from raddle.threads.data_model.call_effects import EffectCache, copies_objects
from raddle.threads.data_model.variables import is_iterator

__tracebackhide__ = True  # frames of this module, in what pytest shows


class Calls:
    """Records what called functions do to their arguments when they have returned."""

    __slots__ = ("_attributes", "_contents", "_effects", "_makers", "_note_made")

    def __init__(self, contents: Contents, attributes: Attributes, variable_numbers: VariableNumbers) -> None:
        self._contents = contents
        self._attributes = attributes
        self._effects = EffectCache()
        self._makers = variable_numbers.makers
        self._note_made = variable_numbers.called

    def function(self, called: Any, site: int) -> Any:
        handler = _HANDLERS.get(id(called))
        if handler is not None:
            return partial(handler, self, called, site)
        if type(called) is partial:
            inner = self.maker(called.func)
            return called if inner is called.func else partial(inner, *called.args, **called.keywords)
        effect = self._effects.of(called)
        if type(called) is not FunctionType:
            called = self.maker(called)
        if effect is None:
            return called
        # Accesses to the disk are not recorded, and containers given to such functions are only read.
        return partial(self._touching, called, READ if effect.on_disk else effect.kind, site)

    def maker(self, called: Any) -> Any:
        """Return what to call in place of a class, or of another maker of objects; anything else is returned as is."""
        return partial(self._making, called) if self._makers.creates_object(called) else called

    def _making(self, called: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a class that has no constructor with probes."""
        made = called(*args, **kwargs)
        self._note_made(made)
        return made

    def _touching(self, called: Any, kind: str, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call code without probes that works on the first container that it is given, and may read the others."""
        result = called(*args, **kwargs)
        for arg in (*args, *kwargs.values()):
            container = self._contents.container_of(arg)
            if container is not None:
                self._contents.record(kind, container, site)
                kind = READ
        if copies_objects(called):
            self._note_made(result)
        return result

    def looking(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call `len(x)`, `sorted(x)`...: reads the content of its arguments at once."""
        result = called(*args, **kwargs)
        for arg in args:
            self._contents.content(arg, site)
        return result

    def lazily(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call `enumerate(x)`, `zip(x, y)`...: reads the content of its arguments later, step by step."""
        if called is map and args:
            args = (self.maker(args[0]), *args[1:])
        return called(*[self._contents.iterate(arg, site) for arg in args], **kwargs)

    def iterating(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        result = called(*args, **kwargs)
        container = self._contents.container_of(args[0]) if len(args) == 1 else None
        return result if container is None else self._contents.each(result, container, site)

    def advancing(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call `next(x)`: an iterator of C or a generator can be shared."""
        value = called(*args, **kwargs)
        if is_iterator(args[0]):
            self._contents.record(WRITE, args[0], site)
        return value

    def getting(self, called: Any, site: int, /, obj: Any, name: str, *default: Any) -> Any:
        value = called(obj, name, *default)
        if not default or value is not default[0]:
            self._attributes.record_read(obj, name, value, site)
        return value

    def having(self, called: Any, site: int, /, obj: Any, name: str) -> bool:
        result: bool = called(obj, name)
        if result:
            self._attributes.record_read(obj, name, None, site)
        return result

    def setting(self, called: Any, site: int, /, obj: Any, name: str, value: Any) -> None:
        self._attributes.write(value, obj, name, site)

    def deleting(self, called: Any, site: int, /, obj: Any, name: str) -> None:
        self._attributes.delete(obj, name, site)


_HANDLERS: dict[int, Callable[..., Any]] = handlers_by_function(
    {
        BuiltinRole.READ_CONTENT: Calls.looking,
        BuiltinRole.PRINT: Calls.looking,
        BuiltinRole.LAZY: Calls.lazily,
        BuiltinRole.ITERATE: Calls.iterating,
        BuiltinRole.ADVANCE: Calls.advancing,
        BuiltinRole.GETATTR: Calls.getting,
        BuiltinRole.HASATTR: Calls.having,
        BuiltinRole.SETATTR: Calls.setting,
        BuiltinRole.DELATTR: Calls.deleting,
    }
)
