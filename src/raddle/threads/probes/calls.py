"""Calls of code that has no probes: built-in functions, code in C, modules that are not instrumented.

Such code touches its arguments without telling. The effects of functions that many programs use are known, those of
others are assumed (see `raddle.threads.data_model.call_effects`); a call as a whole is one step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from types import FunctionType
from typing import Any

from greenlet import getcurrent

from raddle import env
from raddle.engine.carrier import Carrier
from raddle.operation import READ, WRITE, Kind
from raddle.threads.data_model.builtin_functions import BuiltinRole, handlers_by_function
from raddle.threads.data_model.call_effects import (
    EffectCache,
    copies_objects,
    everything_in,
    looks_deeply,
    names_of,
    reads_attributes,
)
from raddle.threads.data_model.filesystem import CONTENTS, DISK, effect_of_opening
from raddle.threads.data_model.filesystem import effect_of_method as effect_of_outside
from raddle.threads.data_model.variables import UNKNOWN, container_base, is_iterator
from raddle.threads.patches import NAMES
from raddle.threads.probes.accesses import Accesses
from raddle.threads.probes.attributes import Attributes
from raddle.threads.probes.items import Items

_NESTING = frozenset(map(id, (list, tuple, dict)))  # classes, by id
# Functions that read an iterator to its end.
_DRAINING = frozenset({list, dict, set, *env.FROZEN_TYPES, tuple, sorted, sum, min, max, any, all, bytes, bytearray})
_DEEP = frozenset(filter(looks_deeply, (all, any, format, max, min, print, repr, sorted, str)))


class Calls:
    """Takes the steps of called functions when they are called."""

    __slots__ = (
        "_accesses", "_attributes", "_cold", "_effects", "_hot", "_items", "_makers", "_observing", "_variables",
    )  # fmt: skip

    def __init__(self, accesses: Accesses, items: Items, attributes: Attributes) -> None:
        self._accesses = accesses
        self._items = items
        self._attributes = attributes
        self._variables = accesses.variables
        self._cold, self._hot = accesses.cold, accesses.hot
        self._observing = accesses.observing
        self._effects = EffectCache()
        self._makers = accesses.makers if accesses.measuring else None

    def function(self, called: Any, site: int) -> Any:
        if type(getcurrent()) is not Carrier:
            return called
        handler = _HANDLERS.get(id(called))
        if handler is not None:
            return partial(handler, self, called, site)
        if type(called) is partial:
            inner = self.function(called.func, site)
            return called if inner is called.func else partial(inner, *called.args, **called.keywords)
        effect = self._effects.of(called)
        if self._makers is not None and type(called) is not FunctionType:
            called = self.maker(called, site)
        if effect is None:
            return called
        return partial(self.outside if effect.on_disk else self.touching, called, effect.kind, site)

    def maker(self, called: Any, site: int) -> Any:
        """Return what to call in place of a class, or of another maker of objects; anything else is returned as is."""
        if self._makers is None or not self._makers.makes(called):
            return called
        return partial(self._making, called, site)

    def _making(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call a class that has no constructor with probes."""
        made = called(*args, **kwargs)
        me: Any = getcurrent()
        if type(me) is Carrier:
            self._accesses.made(me, made, site)
        return made

    # -- any function -------------------------------------------------------------------------------

    def touching(self, called: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call code without probes that works on the first container that it is given, and may read the others."""
        me: Any = getcurrent()
        target, original = None, called
        given: Sequence[Any] = (*args, *kwargs.values()) if type(me) is Carrier else ()
        copies = given and reads_attributes(called)
        if given and self._makers is not None and copies_objects(called):
            called = partial(self._making, called, site)
        for arg in everything_in(given) if given and looks_deeply(original) else given:
            if effect_of_outside(arg, "write"):  # a file to be written to, say
                called = partial(self.outside, called, WRITE, site)
            elif target is not None:
                self._items.look_inside(me, arg, site)
            elif (target := self._variables.container_of(arg)) is not None:
                self._touch(me, target, kind, site)
        if copies:
            self._read_all(me, given, site)
        return called(*args, **kwargs)

    def outside(self, called: Any, kind: Kind, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call code that reads or changes what is outside of the process: one step."""
        me: Any = getcurrent()
        if type(me) is Carrier:
            variable = self._variables.variable(DISK, CONTENTS)
            self._accesses.step(me, variable, kind, site)
            if self._observing and not self._accesses.engine.measuring:  # not a variable that could be covered
                self._accesses.tell(me, kind, variable, site, UNKNOWN)
        return called(*args, **kwargs)

    def _read_all(self, me: Carrier, given: Sequence[Any], site: int) -> None:
        """Read all attributes of objects, which are copied, say: one step."""
        accesses = self._accesses
        found = [self._variables.find(obj, name) for obj in given for name in names_of(obj)]
        for number, variable in enumerate(variable for variable in found if variable is not None):
            if not number:
                accesses.step(me, variable, READ, site)
            elif accesses.sampling.tracking:
                accesses.note_inside(me, variable, site)
            if self._observing:
                accesses.tell(me, READ, variable, site, UNKNOWN)

    def _touch(self, me: Carrier, container: Any, kind: Kind, site: int) -> None:
        cls = type(container)
        if self._cold.get(site) is cls:
            return
        if self._hot.get(site) is cls:
            self._accesses.arrive(me, container, kind, site)
            return
        variable = self._variables.find_content(container)
        self._accesses.step(me, variable, kind, site)
        if self._observing:
            self._accesses.tell(me, kind, variable, site, UNKNOWN)

    # -- built-in functions -------------------------------------------------------------------------

    def looking(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call `len(x)`, `sorted(x)`...: reads the content of its arguments in one step."""
        if len(args) != 1 or (called in _DEEP and id(type(args[0])) in _NESTING):
            return self.touching(called, READ, site, *args, **kwargs)
        if is_iterator(args[0]) and called in _DRAINING:
            return self._items.advance(args[0], site, partial(called, *args, **kwargs))
        self._items.content(args[0], site)
        return called(*args, **kwargs)

    def printing(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        me: Any = getcurrent()
        file = kwargs.get("file")
        if type(me) is Carrier and container_base(type(file)) is not None:
            self._touch(me, file, WRITE, site)
        elif effect_of_outside(file, "write"):
            return self.outside(partial(self.looking, called, site), WRITE, site, *args, **kwargs)
        return self.looking(called, site, *args, **kwargs)

    def opening(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        mode = args[1] if len(args) > 1 else kwargs.get("mode", "r")
        return self.outside(called, effect_of_opening(mode), site, *args, **kwargs)

    def lazily(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call `enumerate(x)`, `zip(x, y)`...: reads the content of its arguments later, step by step."""
        if called is map and args:
            args = (self.function(args[0], site), *args[1:])
        return called(*[self._items.iterate(arg, site) for arg in args], **kwargs)

    def iterating(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        me: Any = getcurrent()
        container = self._variables.container_of(args[0]) if len(args) == 1 and type(me) is Carrier else None
        if container is None:
            return called(*args, **kwargs)
        self._items.look_at(me, container, site)
        return self._items.each(called(*args), container, site)

    def advancing(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        if args and is_iterator(args[0]):
            return self._items.advance(args[0], site, partial(called, *args, **kwargs))
        return called(*args, **kwargs)

    def getting(self, called: Any, site: int, /, obj: Any, name: str, *default: Any) -> Any:
        if not default:
            return self._attributes.read(obj, name, site)
        try:
            return self._attributes.read(obj, name, site)
        except AttributeError:
            return default[0]

    def having(self, called: Any, site: int, /, obj: Any, name: str) -> bool:
        try:
            self._attributes.read(obj, name, site)
        except AttributeError:
            return False
        return True

    def setting(self, called: Any, site: int, /, obj: Any, name: str, value: Any) -> None:
        self._attributes.write(value, obj, name, site)

    def deleting(self, called: Any, site: int, /, obj: Any, name: str) -> None:
        self._attributes.delete(obj, name, site)

    def standing_in(self, called: Any, site: int, /, *args: Any, **kwargs: Any) -> Any:
        """Call the twin of something that was kept before the twins were in place: a clock as a default."""
        return NAMES[called](*args, **kwargs)


_HANDLERS: dict[int, Callable[..., Any]] = handlers_by_function(
    {
        BuiltinRole.READ_CONTENT: Calls.looking,
        BuiltinRole.COPY_BYTES: Calls.looking,
        BuiltinRole.PRINT: Calls.printing,
        BuiltinRole.OPEN: Calls.opening,
        BuiltinRole.LAZY: Calls.lazily,
        BuiltinRole.ITERATE: Calls.iterating,
        BuiltinRole.ADVANCE: Calls.advancing,
        BuiltinRole.GETATTR: Calls.getting,
        BuiltinRole.HASATTR: Calls.having,
        BuiltinRole.SETATTR: Calls.setting,
        BuiltinRole.DELATTR: Calls.deleting,
    }
)
_HANDLERS.update((id(real), Calls.standing_in) for real in NAMES)
